import fc from 'fast-check';

/** What may happen to a batcher whose handler streams. */
export type StreamEvent =
  | { type: 'arrive'; signature: string; timeoutMs: number; priority: number; cost: number }
  | { type: 'read'; item: number; count: number }
  | { type: 'cancel' | 'leave'; item: number }
  | { type: 'advance'; ms: number }
  | { type: 'step'; lane: number; ends: number; fails: number; done: boolean }
  | { type: 'fail' | 'die' | 'close'; lane: number }
  | { type: 'addLane' };

const lane = fc.nat(1);
const item = fc.nat(12);
/** Any of it. */
export const streamEvent: fc.Arbitrary<StreamEvent> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      type: fc.constant('arrive' as const),
      signature: fc.constantFrom('a', 'a', 'a', 'b'),
      timeoutMs: fc.constantFrom(5, 40, 5000),
      priority: fc.constantFrom(0, 1),
      cost: fc.constantFrom(1, 3),
    }),
  },
  { weight: 5, arbitrary: fc.record({ type: fc.constant('read' as const), item, count: fc.nat(5) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constantFrom('cancel' as const, 'leave' as const), item }) },
  {
    weight: 2,
    arbitrary: fc.record({ type: fc.constant('advance' as const), ms: fc.constantFrom(1, 10, 1100) }),
  },
  {
    weight: 12,
    arbitrary: fc.record({
      type: fc.constant('step' as const),
      lane,
      // Places in the handler's list, mostly beyond its end.
      ends: fc.nat(9),
      fails: fc.nat(30),
      done: fc.integer({ min: 0, max: 20 }).map((n) => n === 0),
    }),
  },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('close' as const), lane }) },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constantFrom('fail' as const, 'fail' as const, 'die' as const), lane }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('addLane' as const) }) },
);
