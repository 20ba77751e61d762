import { ServingError } from '#model';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createBatcher } from '../../test/batcher-fixture.js';
import { ManualStreamLane, type ManualSequence } from '../../test/manual-stream-lane.js';
import { streamEvent, type StreamEvent } from '../../test/stream-events.js';
import type { StreamingBatch } from '../lane/streaming-batch.js';
import type { TokenStream } from './token-stream.js';

const LIMIT = 3;
const BUFFER = 4;

/** One client: its stream, and what it has read of it. */
interface Client {
  readonly id: number;
  readonly signature: string;
  readonly cost: number;
  readonly signal: AbortController;
  stream: TokenStream<unknown> | undefined;
  /** Tokens that the handler gave for it while it had not ended there. */
  given: number;
  seen: number;
  /** How the handler ended it. */
  handlerEnd: 'null' | 'error' | undefined;
  end: unknown;
  left: boolean;
  reading: boolean;
}

/** Runs events on a real batcher under a virtual clock, and checks the promises after each of them. */
class Scenario {
  readonly #clients: Client[] = [];
  #lanes: ManualStreamLane<Client>[] = [];
  readonly #fixture;
  readonly #isContinuous: boolean;

  constructor(streaming: 'static' | 'continuous') {
    this.#isContinuous = streaming === 'continuous';
    this.#fixture = createBatcher<Client, unknown>({
      maxBatchSize: LIMIT,
      maxBatchCost: 6,
      maxQueueSize: 6,
      maxStreamBuffer: BUFFER,
      timeoutMs: 10_000,
      streaming,
    });
    this.#addLane();
  }

  async run(events: readonly StreamEvent[]): Promise<void> {
    for (const each of events) {
      this.#take(each);
      await this.#settle();
      this.#check();
    }
    await this.#finish();
  }

  #addLane(): void {
    if (this.#lanes.length >= 2) return;
    const added = new ManualStreamLane<Client>(this.#lanes.length);
    this.#lanes.push(added);
    this.#fixture.batcher.addLane(added);
  }

  #take(each: StreamEvent): void {
    const { clock, batcher } = this.#fixture;
    switch (each.type) {
      case 'arrive':
        return this.#arrive(each);
      case 'read':
        return void this.#read(this.#clients[each.item], each.count);
      case 'cancel':
        return this.#clients[each.item]?.signal.abort();
      case 'leave': {
        const client = this.#clients[each.item];
        if (client?.stream === undefined) return undefined;
        client.left = true;
        return void client.stream.return();
      }
      case 'advance':
        return clock.runUntil(clock.now() + each.ms);
      case 'addLane':
        return this.#addLane();
      case 'die': {
        const [dead] = this.#lanes.splice(each.lane, 1);
        if (dead !== undefined) batcher.removeLane(dead, new ServingError('worker_died', 'died'));
        return undefined;
      }
      default: {
        const chosen = this.#lanes[each.lane];
        if (each.type === 'close' && chosen?.phase === 'closing') chosen.close();
        if (chosen?.phase !== 'running') return undefined;
        if (each.type === 'step') this.#step(chosen, each);
        if (each.type === 'fail') chosen.fail(new Error('bad'));
        return undefined;
      }
    }
  }

  #step(
    chosen: ManualStreamLane<Client>,
    { ends, fails, done }: Extract<StreamEvent, { type: 'step' }>,
  ): void {
    const give = ({ value: client, given }: ManualSequence<Client>) => {
      const place = chosen.list.findIndex(({ value }) => value === client);
      // What the handler gives after the end must not arrive.
      if (client.handlerEnd !== undefined) return 'stray';
      if (place === ends) client.handlerEnd = 'null';
      if (place === fails) client.handlerEnd = 'error';
      if (client.handlerEnd !== undefined)
        return client.handlerEnd === 'null' ? null : new Error('only this');
      client.given = given;
      return `${client.id}:${given}`;
    };
    chosen.step(give, done);
  }

  #arrive({ signature, cost, timeoutMs, priority }: Extract<StreamEvent, { type: 'arrive' }>): void {
    const client: Client = {
      id: this.#clients.length,
      signature,
      cost,
      signal: new AbortController(),
      stream: undefined,
      given: 0,
      seen: 0,
      handlerEnd: undefined,
      end: undefined,
      left: false,
      reading: false,
    };
    this.#clients.push(client);
    const { signal } = client.signal;
    try {
      client.stream = this.#fixture.batcher.stream(client, {
        timeoutMs,
        priority,
        signature,
        cost,
        signal,
      });
    } catch (error) {
      client.end = error;
    }
  }

  async #read(client: Client | undefined, count: number): Promise<void> {
    if (client?.stream === undefined || client.reading) return;
    client.reading = true;
    try {
      for (let n = 0; n < count && client.end === undefined; n++) {
        const { done, value } = await client.stream.next();
        if (done === true) client.end = 'done';
        else if (value === `${client.id}:${client.seen + 1}`) client.seen++;
        else throw new RangeError(`P2: client ${client.id} got ${String(value)} after ${client.seen}`);
      }
    } catch (error) {
      client.end = error;
    }
    client.reading = false;
  }

  async #settle(): Promise<void> {
    const { clock } = this.#fixture;
    for (let round = 0; round < 6; round++) await Promise.resolve();
    clock.runUntil(clock.now());
    for (let round = 0; round < 6; round++) await Promise.resolve();
  }

  #check(): void {
    const { batcher } = this.#fixture;
    for (const { id, end, given, seen, handlerEnd, left } of this.#clients) {
      if (end instanceof RangeError) throw end;
      if (end === 'done' && !left && handlerEnd !== 'null' && handlerEnd !== undefined)
        throw new Error(`P1: client ${id} did not hear of its error`);
      if (end === 'done' && !left && given !== seen)
        throw new Error(`P2: client ${id} got ${seen} of ${given} tokens`);
    }
    for (const { batch, list, phase } of this.#lanes) {
      if (phase === 'idle') continue;
      this.#checkBatch(batch!, list);
    }
    if (batcher.queueSize > 6) throw new Error(`P5: ${batcher.queueSize} items wait`);
  }

  #checkBatch(batch: StreamingBatch<Client, unknown>, list: readonly ManualSequence<Client>[]): void {
    const live = batch.items.map(({ value }) => value);
    if (new Set(live.map(({ signature }) => signature)).size > 1) throw new Error('P3: mixed signatures');
    if (live.length > LIMIT) throw new Error(`P5: a batch of ${live.length}`);
    if (live.length > 1 && live.reduce((sum, { cost }) => sum + cost, 0) > 6)
      throw new Error('P5: too costly');
    if (this.#isContinuous && list.length > LIMIT) throw new Error(`P5: the handler has ${list.length}`);
    if (batch.items.some(({ settled }) => settled)) throw new Error('P1: a settled item keeps its place');
    for (const { given, seen, left } of live) {
      if (!left && given - seen > BUFFER) throw new Error(`P5: ${given - seen} tokens wait for a reader`);
    }
  }

  /** Lets everything that is left end, as it must in bounded time. */
  async #finish(): Promise<void> {
    const { clock, batcher } = this.#fixture;
    this.#addLane();
    for (let round = 0; round < 200 && this.#isBusy; round++) {
      for (const each of this.#lanes) {
        if (each.phase === 'running')
          this.#step(each, { type: 'step', lane: 0, ends: 0, fails: 99, done: false });
        if (each.phase === 'closing') each.close();
      }
      for (const client of this.#clients) void this.#read(client, 100);
      await this.#settle();
      clock.runUntil(clock.now() + 20);
      this.#check();
    }
    const open = this.#clients.filter(({ end, left }) => end === undefined && !left).map(({ id }) => id);
    if (open.length > 0) throw new Error(`P1: clients ${open.join()} never heard of their end`);
    if (batcher.queueSize + batcher.runningSize > 0) throw new Error('P1: the batcher still counts items');
    clock.runUntil(clock.now() + 1000);
    if (clock.pending > 0) throw new Error(`P6: an idle batcher keeps ${clock.pending} timers`);
  }

  get #isBusy(): boolean {
    const { batcher } = this.#fixture;
    return (
      batcher.queueSize + batcher.runningSize > 0 ||
      this.#lanes.some(({ phase }) => phase !== 'idle') ||
      this.#clients.some(({ end, left }) => end === undefined && !left)
    );
  }
}

describe('any order of events', () => {
  it.each(['static', 'continuous'] as const)(
    'P1 P2 P3 P5 hold for the tokens of %s batches',
    async (streaming) => {
      await fc.assert(
        fc.asyncProperty(fc.array(streamEvent, { maxLength: 80, size: 'max' }), (events) =>
          new Scenario(streaming).run(events),
        ),
        { numRuns: 5000 },
      );
      expect.assertions(0);
    },
    120_000,
  );
});
