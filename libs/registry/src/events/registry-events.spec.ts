import { pino } from 'pino';
import { beforeEach, describe, expect, it } from 'vitest';
import type { RegistryEvent } from './registry-event.js';
import { RegistryEvents } from './registry-events.js';

const EVENT: RegistryEvent = { type: 'ready', name: 'm', version: '1', replaced: false };

let lines: string[];
let events: RegistryEvents;

beforeEach(() => {
  lines = [];
  events = new RegistryEvents(pino({}, { write: (line: string) => lines.push(line) }));
});

describe('listeners of the registry', () => {
  it('hear of every event until they leave', () => {
    const heard: RegistryEvent[] = [];
    const leave = events.subscribe((event) => heard.push(event));
    events.emit(EVENT);
    leave();
    events.emit(EVENT);
    expect(heard).toEqual([EVENT]);
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('a faulty listener');
      },
    ],
    ['rejects', () => Promise.reject(new Error('a faulty listener'))],
  ])('P8 disturb nothing when one %s', async (_, faulty) => {
    const heard: RegistryEvent[] = [];
    events.subscribe(faulty);
    events.subscribe((event) => heard.push(event));
    events.emit(EVENT);
    expect(heard).toEqual([EVENT]);
    await new Promise((resolve) => setImmediate(resolve));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('a faulty listener');
  });
});
