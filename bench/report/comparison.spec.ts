import { describe, expect, it } from 'vitest';
import { median, ratiosOf, type Turn } from './comparison.js';

function turn(
  round: number,
  connections: number,
  rates: Readonly<Record<string, number>>,
  foreignShare = 0,
): Turn {
  const measured = Object.entries(rates).map(([name, rate]) => [name, { rate, failed: 0 }]);
  return { round, connections, measurements: Object.fromEntries(measured), foreignShare };
}

describe('ratiosOf', () => {
  it('compares what ran in one round, since rounds differ more than participants', () => {
    const turns = [turn(1, 64, { on: 50, off: 100 }), turn(2, 64, { on: 5, off: 10 })];
    const [ratio] = ratiosOf({ of: 'on', to: ['off'] }, turns);
    expect(ratio).toMatchObject({ connections: 64, rounds: [0.5, 0.5], median: 0.5 });
  });

  it('divides by the slowest of several in each round', () => {
    const turns = [
      turn(1, 64, { on: 9, direct: 10, noOp: 20 }),
      turn(2, 64, { on: 9, direct: 30, noOp: 18 }),
    ];
    const [ratio] = ratiosOf({ of: 'on', to: ['direct', 'noOp'] }, turns);
    expect(ratio!.rounds).toEqual([0.9, 0.5]);
  });

  it('says when others were busy in most of the rounds', () => {
    const rates = { on: 1, off: 1 };
    const turns = [turn(1, 64, rates, 0.5), turn(2, 64, rates, 0.5), turn(3, 64, rates)];
    expect(ratiosOf({ of: 'on', to: ['off'] }, turns)[0]!.dirty).toBe(true);
    expect(ratiosOf({ of: 'on', to: ['off'] }, turns.slice(1))[0]!.dirty).toBe(false);
  });

  it('asks for a least ratio only where the comparison says so', () => {
    const turns = [turn(1, 1, { on: 1, off: 1 }), turn(1, 64, { on: 1, off: 1 })];
    const ratios = ratiosOf({ of: 'on', to: ['off'], required: { atLeast: 3, at: [64] } }, turns);
    expect(ratios.map(({ required }) => required)).toEqual([undefined, 3]);
  });
});

describe('median', () => {
  it.each([
    [[3], 3],
    [[9, 1, 5], 5],
    [[4, 1, 2, 100], 3],
  ])('of %j is %d', (values, expected) => {
    expect(median(values)).toBe(expected);
  });
});
