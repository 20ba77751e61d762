import { ServingError, type PredictOptions } from '#model';
import type { ShadowMetrics } from '#telemetry';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ModelRegistry } from '../model-registry.js';
import type { ModelVersion } from '../version/model-version.js';
import { ShadowTraffic } from './shadow-traffic.js';
import { TrafficTable } from './traffic-table.js';

/** A version whose answers the test gives. */
class PlayedVersion {
  readonly name = 'm';
  readonly options = { maxBatchSize: 2, workers: 1 };
  readonly asked: { item: unknown; options: PredictOptions; settle: (error?: unknown) => void }[] = [];
  refusal: ServingError | undefined;

  constructor(readonly version: string) {}

  assertBreakerCloses(): void {
    if (this.refusal !== undefined) throw this.refusal;
  }

  assertAdmits(): void {}

  validate(body: unknown) {
    if (body === 'unfit') throw new ServingError('invalid_input', 'it does not fit');
    const items = Array.isArray(body) ? (body as unknown[]) : [body];
    return { items, isList: false, parameters: {} };
  }

  predict(item: unknown, options: PredictOptions): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.asked.push({
        item,
        options,
        settle: (error) => (error === undefined ? resolve(1) : reject(error)),
      });
    });
  }
}

const turn = () => new Promise((resolve) => setImmediate(resolve));
const answering = new PlayedVersion('1') as unknown as ModelVersion;

let shadow: PlayedVersion;
let served: Map<string, unknown>;
let outcomes: string[];
let table: TrafficTable;
let shadows: ShadowTraffic;

beforeEach(() => {
  shadow = new PlayedVersion('2');
  served = new Map([['2', shadow]]);
  outcomes = [];
  table = new TrafficTable();
  table.set('m', { shadow: { version: '2', fraction: 1 } });
  const registry = { find: (_: string, version: string) => served.get(version) } as unknown as ModelRegistry;
  const metrics = {
    ended: (model: string, version: string, outcome: string) =>
      outcomes.push(`${model} ${version} ${outcome}`),
  } as unknown as ShadowMetrics;
  shadows = new ShadowTraffic(registry, table, metrics);
});

describe('a copy of a request', () => {
  it('is sent after the turn in which the request was, behind everything else that its version has to do', async () => {
    shadows.offer(answering, 'body', 'id');
    expect(shadow.asked).toEqual([]);
    await turn();
    expect(shadow.asked).toMatchObject([{ item: 'body', options: { requestId: 'id', priority: 10 } }]);
    shadow.asked[0]!.settle();
    await turn();
    expect(outcomes).toEqual(['m 2 ok']);
  });

  it.each([
    ['the model fails', 'body', new ServingError('handler_failed', 'no'), 'failed'],
    ['it came too late', 'body', new ServingError('deadline_exceeded', 'late'), 'expired'],
    ['there is no room', 'body', new ServingError('queue_full', 'full'), 'rejected'],
    ['a fault of our own', 'body', new Error('oops'), 'failed'],
  ])('ends unseen: %s', async (_, body, error, outcome) => {
    shadows.offer(answering, body, 'id');
    await turn();
    shadow.asked[0]!.settle(error);
    await turn();
    expect(outcomes).toEqual([`m 2 ${outcome}`]);
  });

  it('ends unseen when it does not fit the other version, or its breaker is open', async () => {
    shadows.offer(answering, 'unfit', 'id');
    await turn();
    shadow.refusal = new ServingError('breaker_open', 'open');
    shadows.offer(answering, 'body', 'id');
    await turn();
    expect(outcomes).toEqual(['m 2 rejected', 'm 2 rejected']);
    expect(shadow.asked).toEqual([]);
  });

  it('P5 is dropped when enough are on their way', async () => {
    for (let request = 0; request < 10; request++) shadows.offer(answering, request, `id-${request}`);
    await turn();
    expect(shadow.asked.map(({ item }) => item)).toEqual([0, 1, 2, 3]);
    expect(outcomes).toEqual(Array.from({ length: 6 }, () => 'm 2 dropped'));
    for (const { settle } of shadow.asked) settle();
    await turn();
    shadows.offer(answering, 'again', 'id');
    await turn();
    expect(shadow.asked.at(-1)!.item).toBe('again');
  });

  it('is not made where no rule says so, by the shadow itself, or without a shadow that serves', async () => {
    shadows.offer(shadow as unknown as ModelVersion, 'body', 'id');
    served.clear();
    shadows.offer(answering, 'body', 'id');
    table.set('m', undefined);
    served.set('2', shadow);
    shadows.offer(answering, 'body', 'id');
    await turn();
    expect(shadow.asked).toEqual([]);
    expect(outcomes).toEqual([]);
  });

  it('is made for the part of the requests that the rule says', async () => {
    table.set('m', { shadow: { version: '2', fraction: 0.25 } });
    shadow.options.maxBatchSize = 1000;
    for (let request = 0; request < 2000; request++) shadows.offer(answering, request, `id-${request}`);
    await turn();
    expect(shadow.asked.length).toBeGreaterThan(400);
    expect(shadow.asked.length).toBeLessThan(600);
  });
});
