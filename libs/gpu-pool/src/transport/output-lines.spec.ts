import { expect, it } from 'vitest';
import { OutputLines } from './output-lines.js';

it('what a process prints is told line by line, and in bounded pieces', () => {
  const told: string[] = [];
  const lines = new OutputLines((line) => told.push(line));
  lines.push('one\ntw');
  expect(told).toEqual(['one']);
  lines.push('o\n\nthree');
  lines.end();
  expect(told).toEqual(['one', 'two', 'three']);
  told.length = 0;
  for (let piece = 0; piece < 40; piece++) lines.push('x'.repeat(1000));
  expect(told.join('').length).toBeGreaterThan(30_000);
  expect(Math.max(...told.map(({ length }) => length))).toBeLessThanOrEqual(16_384);
});
