import { ServingError } from '#model';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createBatcher } from '../test/batcher-fixture.js';
import { ManualLane } from '../test/manual-lane.js';
import { FixedWindow } from './window/fixed-window.js';

type Step =
  | { type: 'arrive'; signature: string; timeoutMs: number; priority: number; cost: number }
  | { type: 'cancel'; item: number }
  | { type: 'advance'; ms: number }
  | { type: 'complete'; lane: number; badSlot: boolean }
  | { type: 'fail'; lane: number; kind: 'item' | 'memory' | 'final' }
  | { type: 'breakContract'; lane: number; output: unknown }
  | { type: 'die'; lane: number }
  | { type: 'addLane' };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constant('arrive' as const),
      signature: fc.constantFrom('a', 'b'),
      timeoutMs: fc.constantFrom(5, 20, 1000),
      priority: fc.constantFrom(0, 1, 9),
      cost: fc.constantFrom(1, 3, 99),
    }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('cancel' as const), item: fc.nat(30) }) },
  {
    weight: 4,
    arbitrary: fc.record({ type: fc.constant('advance' as const), ms: fc.constantFrom(0, 1, 7, 30) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ type: fc.constant('complete' as const), lane: fc.nat(3), badSlot: fc.boolean() }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('fail' as const),
      lane: fc.nat(3),
      kind: fc.constantFrom('item' as const, 'memory' as const, 'final' as const),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant('breakContract' as const),
      lane: fc.nat(3),
      output: fc.constantFrom(
        'text',
        null,
        new Map(),
        [],
        Object.assign([1, 2, 3], { length: 4 }),
        Array.from({ length: 99 }, () => 0),
      ),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('die' as const), lane: fc.nat(3) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('addLane' as const) }) },
);

interface Item {
  readonly id: number;
  readonly signature: string;
  readonly client: AbortController;
  ends: number;
  result: unknown;
}

const ERRORS = {
  item: () => new Error('bad input'),
  memory: () => new Error('out of memory'),
  final: () => new ServingError('contract_violation', 'broken'),
};

/** Runs the steps on a real batcher under a virtual clock, and checks the promises after each of them. */
class Scenario {
  readonly #items: Item[] = [];
  readonly #lanes: ManualLane<Item, number>[] = [];
  readonly #refused: number[] = [];
  readonly #checkedBatches = new Set<unknown>();
  readonly #fixture = createBatcher<Item, number>({
    maxBatchSize: 4,
    maxBatchCost: 8,
    maxQueueSize: 8,
    maxWaitMs: 5,
    timeoutMs: 500,
    window: new FixedWindow(),
  });
  #laneIds = 0;

  constructor() {
    this.addLane();
  }

  run(steps: readonly Step[]): void {
    for (const each of steps) {
      this.#take(each);
      this.#fixture.clock.runUntil(this.#fixture.clock.now());
      this.#check();
    }
    this.#finish();
  }

  addLane(): void {
    if (this.#lanes.length >= 3) return;
    const lane = new ManualLane<Item, number>(this.#laneIds++);
    this.#lanes.push(lane);
    this.#fixture.batcher.addLane(lane);
  }

  #take(each: Step): void {
    const { clock } = this.#fixture;
    switch (each.type) {
      case 'arrive':
        return this.#arrive(each);
      case 'cancel':
        return this.#items[each.item]?.client.abort();
      case 'advance':
        return clock.runUntil(clock.now() + each.ms);
      case 'addLane':
        return this.addLane();
      case 'die': {
        const [lane] = this.#lanes.splice(each.lane, 1);
        if (lane !== undefined)
          this.#fixture.batcher.removeLane(lane, new ServingError('worker_died', 'died'));
        return undefined;
      }
      default: {
        const lane = this.#lanes[each.lane];
        if (lane?.busy === true) this.#end(lane, each);
        return undefined;
      }
    }
  }

  #end(lane: ManualLane<Item, number>, how: Step): void {
    const batch = lane.current;
    if (how.type === 'fail') batch.fail(ERRORS[how.kind]());
    else if (how.type === 'breakContract') batch.complete(how.output);
    else if (how.type === 'complete') {
      const results: unknown[] = batch.items.map(({ value }) => value.id);
      if (how.badSlot) results[0] = new Error('only this one');
      batch.complete(results);
    }
  }

  #arrive({ signature, ...options }: Extract<Step, { type: 'arrive' }>): void {
    const item: Item = {
      id: this.#items.length,
      signature,
      client: new AbortController(),
      ends: 0,
      result: undefined,
    };
    this.#items.push(item);
    const end = (result: unknown) => {
      item.ends++;
      item.result = result;
    };
    try {
      this.#fixture.batcher.enqueue(item, { ...options, signature, signal: item.client.signal }, end, end);
    } catch (error) {
      end(error);
      this.#refused.push(item.id);
    }
  }

  #check(): void {
    const { batcher } = this.#fixture;
    for (const item of this.#items) {
      if (item.ends > 1) throw new Error(`P1: item ${item.id} ended ${item.ends} times`);
      const isOwn = item.result === undefined || item.result === item.id || item.result instanceof Error;
      if (!isOwn) throw new Error(`P2: item ${item.id} got ${String(item.result)}`);
    }
    for (const lane of this.#lanes) {
      for (const batch of lane.batches) this.#checkBatch(batch);
    }
    if (batcher.queueSize > 8) throw new Error(`P5: ${batcher.queueSize} items wait`);
  }

  #checkBatch(batch: ManualLane<Item, number>['batches'][number]): void {
    if (this.#checkedBatches.has(batch)) return;
    this.#checkedBatches.add(batch);
    const values = batch.items.map(({ value }) => value);
    if (new Set(values.map(({ signature }) => signature)).size > 1) throw new Error('P3: mixed signatures');
    if (batch.size > 4) throw new Error(`P5: a batch of ${batch.size}`);
    if (values.some(({ id }) => this.#refused.includes(id))) throw new Error('P1: a refused item ran');
  }

  /** Lets everything that is left end, as it must in bounded time. */
  #finish(): void {
    const { clock, batcher } = this.#fixture;
    this.addLane();
    for (let round = 0; round < 200 && this.#items.some(({ ends }) => ends === 0); round++) {
      clock.runUntil(clock.now() + 10);
      for (const lane of this.#lanes)
        if (lane.busy) this.#end(lane, { type: 'complete', lane: 0, badSlot: false });
      this.#check();
    }
    const open = this.#items.filter(({ ends }) => ends === 0).map(({ id }) => id);
    if (open.length > 0) throw new Error(`P1: items ${open.join()} never ended`);
    for (const lane of this.#lanes)
      if (lane.busy) this.#end(lane, { type: 'complete', lane: 0, badSlot: false });
    clock.runUntil(clock.now() + 1000);
    if (batcher.queueSize + batcher.runningSize > 0) throw new Error('P1: the batcher still counts items');
    if (clock.pending > 0) throw new Error(`P6: an idle batcher keeps ${clock.pending} timers`);
  }
}

describe('any order of events', () => {
  it('P1 P2 P3 hold in 10,000 random interleavings', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40, size: 'max' }), (steps) => {
        new Scenario().run(steps);
      }),
      { numRuns: 10_000 },
    );
    expect.assertions(0);
  }, 120_000);
});
