import { RunContext, runHandler } from '#batching';
import { Module } from '@nestjs/common';
import { beforeEach, describe, expect, it } from 'vitest';
import { CounterModule, events } from '../../test/models/counter.module.js';
import { isNestModule, NestModel } from './nest-model.js';

const ASSIGNMENT = {
  workerId: 3,
  device: 'cuda:1',
  model: { name: 'tally', version: '9', intraOpThreads: 2 },
  maxBatchCost: undefined,
  maxBatchSize: 4,
  selfCheck: 'refuse' as const,
};
const OWNER = { workerId: 3, device: 'cuda:1', model: 'tally', version: '9' };

beforeEach(() => {
  events.length = 0;
});

describe('a model that is a Nest module', () => {
  it('says what it is before any of its providers is made', async () => {
    const model = await NestModel.of(CounterModule, undefined);
    expect(model.manifest.handler.name).toBe('counter');
    expect(events).toEqual([]);
  });

  it('is set up once its providers know their device, their number and their model', async () => {
    const model = await NestModel.of(CounterModule, 'counter');
    const running = await model.start(ASSIGNMENT, () => undefined);
    expect(events).toEqual(['constructed', 'set up on cuda:1']);
    const item = { requestId: 'r', parameters: {}, deadline: 0 };
    const results = await runHandler(running.handler, ['a'], new RunContext(OWNER, [item]));
    expect(results).toEqual(['tally 3 cuda:1']);
  });

  it('is destroyed as any Nest application', async () => {
    const model = await NestModel.of(CounterModule, undefined);
    const running = await model.start(ASSIGNMENT, () => undefined);
    await running.close();
    expect(events.at(-1)).toBe('destroyed');
  });

  it('logs through its worker', async () => {
    const lines: unknown[] = [];
    const model = await NestModel.of(CounterModule, undefined);
    const running = await model.start(ASSIGNMENT, (...line) => lines.push(line));
    await running.close();
    expect(lines).toContainEqual(['debug', 'CounterModule dependencies initialized', 'InstanceLoader']);
  });
});

describe('telling a Nest module from other values', () => {
  @Module({ providers: [] })
  class Plain {}
  @Module({})
  class Bare {}
  class NoModule {}
  class Heir extends Plain {}

  it.each([
    ['a class with @Module()', Plain, true],
    ['a dynamic module', { module: Plain, providers: [] }, true],
    ['a dynamic module whose class says nothing by itself', { module: Bare, providers: [Plain] }, true],
    ['a class without it', NoModule, false],
    ['a class whose parent has it', Heir, false],
    ['an object that only looks like one', { module: 'Plain' }, false],
    ['a function', () => Plain, false],
    ['null', null, false],
  ])('%s', (_, value, expected) => {
    expect(isNestModule(value)).toBe(expected);
  });
});
