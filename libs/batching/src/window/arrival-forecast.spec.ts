import { describe, expect, it } from 'vitest';
import { ArrivalForecast } from './arrival-forecast.js';

const HORIZON_MS = 14;
const OFFSETS = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1, 2, 5, 10];

function expectedWithin(forecast: ArrivalForecast, now: number, offsetMs: number): number {
  const expected = new Float64Array(1);
  forecast.expect(now, [offsetMs], 1, expected);
  return expected[0]!;
}

/** One lane of `clients` that all return 0.3 to 0.5 ms after their answer, for some rounds; ends at a completion. */
function closedLoop(forecast: ArrivalForecast, clients: number, rounds: number): number {
  let now = 0;
  for (let round = 0; round < rounds; round++) {
    forecast.completed(now, clients);
    for (let client = 0; client < clients; client++) {
      forecast.arrived(now + 0.3 + (0.2 * (client + 0.5)) / clients);
    }
    now += 6;
  }
  forecast.completed(now, clients);
  return now;
}

describe('the arrival forecast', () => {
  it('expects nobody before it has seen anything', () => {
    const forecast = new ArrivalForecast(HORIZON_MS);
    forecast.arrived(0);
    expect(expectedWithin(forecast, 0, 10)).toBe(0);
  });

  it('expects every client of a batch back, at the time it has learned', () => {
    const forecast = new ArrivalForecast(HORIZON_MS);
    const now = closedLoop(forecast, 8, 20);
    expect(expectedWithin(forecast, now, 0.3)).toBeLessThan(0.8);
    expect(expectedWithin(forecast, now, 0.5)).toBeGreaterThan(7);
    expect(expectedWithin(forecast, now, 5)).toBeLessThan(9);
  });

  it('expects no client twice', () => {
    const forecast = new ArrivalForecast(HORIZON_MS);
    const now = closedLoop(forecast, 8, 20);
    for (let client = 0; client < 6; client++) forecast.arrived(now + 0.35 + 0.01 * client);
    expect(forecast.clientsOut).toBeLessThan(2.5);
    expect(expectedWithin(forecast, now + 0.41, 5)).toBeLessThan(3);
  });

  it('expects independent arrivals at their rate, whatever is completed', () => {
    const forecast = new ArrivalForecast(HORIZON_MS);
    let now = 0;
    for (let arrival = 0; arrival < 2000; arrival++) {
      now = arrival;
      forecast.arrived(now);
      if (arrival % 5 === 4) forecast.completed(now + 0.5, 5);
    }
    expect(expectedWithin(forecast, now + 0.5, 5)).toBeGreaterThan(3.5);
    expect(expectedWithin(forecast, now + 0.5, 5)).toBeLessThan(6.5);
  });

  it('tells the returns of several lanes apart although they overlap', () => {
    const forecast = new ArrivalForecast(HORIZON_MS);
    const events: (readonly [at: number, size: number])[] = [];
    for (let round = 0; round < 60; round++) {
      for (let lane = 0; lane < 4; lane++) {
        const end = 6 * round + 0.4 * lane;
        events.push(
          [end, 8],
          ...[1.2, 1.25, 1.3, 1.35, 1.4, 1.45, 1.5, 1.55].map((age) => [end + age, 0] as const),
        );
      }
    }
    events.sort(([a], [b]) => a - b);
    for (const [at, size] of events) {
      if (size > 0) forecast.completed(at, size);
      else forecast.arrived(at);
    }
    forecast.completed(400, 8);
    expect(expectedWithin(forecast, 400, 1.1)).toBeLessThan(2);
    expect(expectedWithin(forecast, 400, 1.7)).toBeGreaterThan(5);
  });

  it('never expects less within a longer time', () => {
    const forecast = new ArrivalForecast(HORIZON_MS);
    const now = closedLoop(forecast, 5, 10);
    const expected = new Float64Array(OFFSETS.length);
    forecast.expect(now + 0.37, OFFSETS, OFFSETS.length, expected);
    for (let index = 1; index < expected.length; index++) {
      expect(expected[index]!).toBeGreaterThanOrEqual(expected[index - 1]!);
    }
  });

  it('knows how long a client that returns waits for a busy lane', () => {
    const forecast = new ArrivalForecast(HORIZON_MS);
    closedLoop(forecast, 8, 40);
    expect(forecast.expectedWait(0)).toBe(0);
    expect(forecast.expectedWait(0.3)).toBeLessThan(0.05);
    expect(forecast.expectedWait(10)).toBeCloseTo(9.6, 0);
    expect(forecast.expectedWait(100)).toBeGreaterThan(90);
  });
});
