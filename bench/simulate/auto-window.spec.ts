import { afterEach, describe, expect, it, vi } from 'vitest';
import { ArrivalForecast } from '../../libs/batching/src/window/arrival-forecast.js';
import { AutoWindow } from '../../libs/batching/src/window/auto-window.js';
import { Kick } from '../../libs/batching/src/window/kick.js';
import { LaneSchedule } from '../../libs/batching/src/window/lane-schedule.js';
import { ReturnProfile } from '../../libs/batching/src/window/return-profile.js';
import { compareWithFixed } from './grid-report.js';
import { FIXED_SETTINGS } from './policies.js';
import type { Scenario } from './scenario.js';
import { capacityPerMs } from './service-law.js';
import { simulate } from './simulation.js';

const AUTO = { name: 'auto', create: () => new AutoWindow() };
const EAGER = FIXED_SETTINGS[0]!;
const turnAround = { kind: 'uniform', fromMs: 0.25, toMs: 0.75 } as const;
const thinking = { kind: 'uniform', fromMs: 2.5, toMs: 7.5 } as const;

function scenario(base: number, slope: number, changes: Partial<Scenario> = {}): Scenario {
  const law = { baseMs: base, perCostMs: slope };
  const workload = { kind: 'open', ratePerMs: 0.3 * capacityPerMs(law, 32) } as const;
  const common = { lanes: 1, limit: 32, maxWaitMs: 10, warmUpItems: 2000, items: 4000, seed: 3 };
  return { name: 'test', law, workload, ...common, ...changes };
}

const closed = (clients: number, delay: typeof turnAround | typeof thinking = turnAround) =>
  ({ workload: { kind: 'closed', clients, turnAround: delay } }) as const;

const ratio = (of: Scenario) => compareWithFixed(of, AUTO).ratio;

/** A method of the forecast as it was before it was replaced. */
function methodOf<K extends 'expect' | 'completed'>(name: K): ArrivalForecast[K] {
  return Object.getOwnPropertyDescriptor(ArrivalForecast.prototype, name)!.value as ArrivalForecast[K];
}

afterEach(() => {
  vi.restoreAllMocks();
});

describe('the auto window against the best fixed setting', () => {
  it.each([
    ['independent arrivals', scenario(5, 0.2)],
    ['a single client', scenario(5, 0.2, closed(1))],
    ['cohorts', scenario(5, 0.2, closed(16))],
    ['cohorts that think', scenario(10, 0.05, closed(24, thinking))],
    ['a law that batching hardly helps', scenario(0.5, 2, closed(24))],
    ['four lanes', scenario(10, 0.05, { lanes: 4, ...closed(32) })],
    ['four lanes and slow clients', scenario(5, 0.2, { lanes: 4, ...closed(48, thinking) })],
    [
      'noise and outliers',
      scenario(5, 0.2, {
        ...closed(16),
        law: { baseMs: 5, perCostMs: 0.2, noise: 0.1, outlierShare: 0.002, outlierMs: 200 },
      }),
    ],
  ])('is within 1.05 with %s', (_, of) => {
    expect(ratio(of)).toBeLessThan(1.05);
  });
});

describe('each rule of the auto window matters', () => {
  it('BC-067 without returns, clients fall into cohorts', () => {
    vi.spyOn(ReturnProfile.prototype, 'intensity').mockReturnValue(0);
    expect(ratio(scenario(5, 0.2, closed(16)))).toBeGreaterThan(1.2);
  });

  it('without counting each client once, it waits for those who are there already', () => {
    const expectArrivals = methodOf('expect');
    const completed = methodOf('completed');
    let [items, since, now] = [0, 0, 0];
    vi.spyOn(ArrivalForecast.prototype, 'completed').mockImplementation(function (
      this: ArrivalForecast,
      at,
      size,
    ) {
      if (items === 0) since = at;
      items += size;
      now = at;
      completed.call(this, at, size);
    });
    vi.spyOn(ArrivalForecast.prototype, 'expect').mockImplementation(function (
      this: ArrivalForecast,
      at,
      offsets,
      count,
      expected,
    ) {
      expectArrivals.call(this, at, offsets, count, expected);
      const rate = now > since ? items / (now - since) : 0;
      for (let index = 0; index < count; index++) expected[index]! += rate * offsets[index]!;
    });
    expect(ratio(scenario(10, 0.05, closed(8)))).toBeGreaterThan(1.1);
  });

  it('without the other lanes, it holds where another lane is about to be free', () => {
    vi.spyOn(LaneSchedule.prototype, 'untilAnotherIsFree').mockReturnValue(Infinity);
    expect(ratio(scenario(0.5, 2, { lanes: 4, ...closed(16) }))).toBeGreaterThan(1.2);
  });

  it('without the wait of those who return, stragglers split the clients again', () => {
    vi.spyOn(ReturnProfile.prototype, 'expectedWait').mockReturnValue(0);
    expect(ratio(scenario(10, 0.05, closed(8, thinking)))).toBeGreaterThan(1.08);
  });

  it('without kicks, a pair of clients takes turns for ever', () => {
    vi.spyOn(Kick.prototype, 'isOn', 'get').mockReturnValue(false);
    expect(ratio(scenario(5, 0.2, closed(2)))).toBeGreaterThan(1.5);
  });
});

describe('BC-067 replayed traces', () => {
  const law = { baseMs: 5, perCostMs: 0.2 };
  const rate = (load: number) => load * capacityPerMs(law, 32);

  it.each([
    ['steady', {}],
    [
      'burst',
      {
        workload: {
          kind: 'bursty',
          ratePerMs: rate(0.3),
          burstFactor: 3,
          meanBurstMs: 100,
          meanQuietMs: 400,
        },
      },
    ],
    [
      'one 5 s outlier',
      {
        law: { ...law, outlierShare: 0.0008, outlierMs: 5000 },
        workload: { kind: 'closed', clients: 4, turnAround },
      },
    ],
    ['cold start', { law: { ...law, coldStartMs: 5000 }, warmUpItems: 0 }],
    [
      'idle gap',
      {
        workload: { kind: 'bursty', ratePerMs: 0.02, burstFactor: 50, meanBurstMs: 100, meanQuietMs: 10_000 },
      },
    ],
    ['mixed cost', { heavyShare: 0.1, heavyCost: 8, workload: { kind: 'open', ratePerMs: 0.15 } }],
  ] as const)('%s: answers all, and hardly later than eager does', (_, changes) => {
    const of = scenario(5, 0.2, { ...changes, items: 3000 });
    const [auto, eager] = [simulate(of, AUTO), simulate(of, EAGER)];
    expect(auto.drops).toBe(0);
    expect(auto.meanMs).toBeLessThan(1.05 * eager.meanMs);
  });
});
