import { describe, expect, it } from 'vitest';
import { readOptions } from './bench-options.js';

describe('readOptions', () => {
  it('measures everything when nothing is said', () => {
    expect(readOptions([])).toEqual({
      suites: ['noop', 'digits', 'mlp', 'resnet', 'windows'],
      seconds: 2,
      rounds: 3,
      connections: undefined,
      json: undefined,
    });
  });

  it('reads every option', () => {
    const args = '--only mlp,noop --seconds 5 --rounds 9 --connections 1,64 --json out.json'.split(' ');
    expect(readOptions(args)).toEqual({
      suites: ['mlp', 'noop'],
      seconds: 5,
      rounds: 9,
      connections: [1, 64],
      json: 'out.json',
    });
  });

  it.each([
    [['--only', 'nop'], /'nop' is not a suite/],
    [['--rounds', '0'], /--rounds must be a whole number above 0/],
    [['--seconds', '0.5'], /--seconds must be a whole number above 0/],
    [['--connections', '1,,64'], /--connections must be/],
    [['--fast'], /--fast/],
  ])('refuses %j', (args, message) => {
    expect(() => readOptions(args)).toThrow(message);
    expect(() => readOptions(args)).toThrow(/usage:/);
  });
});
