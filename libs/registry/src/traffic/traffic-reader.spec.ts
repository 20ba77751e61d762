import { isServingError } from '#model';
import { describe, expect, it } from 'vitest';
import { readTraffic, toRestTraffic } from './traffic-reader.js';

const read = (rest: unknown) => readTraffic(rest, (version) => ['1', '2', 'v3'].includes(version));

function refusal(rest: unknown): string {
  try {
    read(rest);
  } catch (error) {
    if (isServingError(error) && error.code === 'invalid_options') return error.message;
    throw error;
  }
  throw new Error('nothing was refused');
}

describe('traffic rules', () => {
  it.each([
    { default: '1' },
    { weights: { '1': 95, '2': 5 }, sticky_header: 'x-user-id' },
    { weights: { '1': 1, '2': 0 }, shadow: { version: 'v3', fraction: 0.25 } },
    { shadow: { version: '2', fraction: 1 } },
  ])('%j are read, and shown as they were', (rest) => {
    expect(toRestTraffic(read(rest))).toEqual(rest);
  });

  it('take headers in any case, and copy everything unless told otherwise', () => {
    expect(read({ weights: { '1': 1 }, sticky_header: 'X-User', shadow: { version: '2' } })).toEqual({
      weights: { '1': 1 },
      stickyHeader: 'x-user',
      shadow: { version: '2', fraction: 1 },
    });
  });

  it.each([
    [{}, 'default or weights or shadow must be there'],
    [null, 'the body must be object'],
    [[], 'the body must be object'],
    [{ defualt: '1' }, 'defualt is not known; known are default, weights'],
    [{ default: 1 }, 'default must be string'],
    [{ default: 'nope' }, "default must be a version that is ready, which 'nope' is not"],
    [{ default: '1', weights: { '1': 1 } }, 'weights must not stand beside default'],
    [{ weights: {} }, 'weights must NOT have fewer than 1'],
    [{ weights: { '1': -1 } }, 'weights/1 must be >= 0'],
    [{ weights: { '1': '5' } }, 'weights/1 must be number'],
    [{ weights: { '1': 0, '2': 0 } }, 'weights must not all be 0'],
    [{ weights: { '1': 1, '7': 1 } }, "weights/7 must be a version that is ready, which '7' is not"],
    [JSON.parse('{"weights":{"__proto__":1}}'), 'weights/__proto__ must be a version that is ready'],
    [{ weights: { '1': 1 }, sticky_header: 'a b' }, 'sticky_header must match'],
    [{ default: '1', sticky_header: 'x-user' }, 'sticky_header needs weights'],
    [{ shadow: {} }, "shadow must have required property 'version'"],
    [{ shadow: { version: '1', fraction: 0 } }, 'shadow/fraction must be > 0'],
    [{ shadow: { version: '1', fraction: 2 } }, 'shadow/fraction must be <= 1'],
    [{ shadow: { version: '4' } }, 'shadow/version must be a version that is ready'],
    [{ default: '1', shadow: { version: '1' } }, 'shadow/version must not be the default'],
  ])('%j are refused, with what would be right', (rest, message) => {
    expect(refusal(rest)).toContain(message);
  });
});
