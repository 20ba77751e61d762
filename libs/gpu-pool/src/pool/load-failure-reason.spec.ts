import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { loadFailureReason } from './load-failure-reason.js';

const folder = tmpdir();

describe('why a model cannot be loaded', () => {
  it.each([
    [
      `Cannot find package 'left-pad' imported from ${folder}/models/m.js`,
      "Cannot find package 'left-pad' imported from m.js",
    ],
    [
      `Cannot find module '${folder}/models/a.js' imported from ${folder}/models/m.js`,
      "Cannot find module 'a.js' imported from m.js",
    ],
    [`Bad file file://${folder}/models/m.js:12:3`, 'Bad file m.js:12:3'],
    [
      `ENOENT: no such file or directory, open '${folder}/w.bin'`,
      "ENOENT: no such file or directory, open 'w.bin'",
    ],
  ])('tells no folder: %s', (message, reason) => {
    expect(loadFailureReason(new Error(message))).toBe(reason);
  });

  it.each([
    'cannot fetch https://example.com/weights/v1/w.bin',
    '/no-such-root-folder/0/name must be a string',
    'and/or: use 1/2 or ./models/m.js',
  ])('leaves alone what is no path on this machine: %s', (message) => {
    expect(loadFailureReason(new Error(message))).toBe(message);
  });

  it('takes what is no error as well', () => {
    expect(loadFailureReason('out of luck')).toBe('out of luck');
  });
});
