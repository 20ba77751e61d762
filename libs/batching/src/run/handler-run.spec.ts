import { BatchedModel, lifeCycleOf, ServingError, tensor, type ItemContext, type Tensor } from '#model';
import { describe, expect, it } from 'vitest';
import { runHandler, type RunnableHandler } from './handler-run.js';
import { RunContext } from './run-context.js';

const OWNER = { workerId: 0, device: 'cpu', model: 'm', version: '1' };

function contextOf(count: number): RunContext {
  const items = Array.from({ length: count }, (_, index) => ({
    requestId: `r${index}`,
    parameters: { index },
    deadline: 0,
  }));
  return new RunContext(OWNER, items);
}

function run(handler: RunnableHandler, values: readonly unknown[]) {
  return runHandler(handler, values, contextOf(values.length));
}

function handlerOf(model: BatchedModel): RunnableHandler {
  return {
    handle: (batch: never, context) => model.predict(batch, context),
    hooks: lifeCycleOf(model, 'predict'),
  };
}

class Squares extends BatchedModel {
  seen: unknown;

  override predict(batch: Tensor<'float64'>): unknown {
    this.seen = batch;
    return tensor(
      'float64',
      batch.shape,
      batch.data.map((x) => x * x),
    );
  }
}

class Shout extends BatchedModel {
  override decode(request: unknown): string {
    if (typeof request !== 'string') throw new ServingError('invalid_input', 'must be a text');
    return request.trim();
  }

  override predict(batch: string[]): string[] {
    return batch.map((text) => text.toUpperCase());
  }

  override encode(output: string, context: ItemContext): string {
    if (output === 'SECRET') throw new Error('not for everyone');
    return `${context.requestId}: ${output}!`;
  }
}

describe('the life cycle of a model', () => {
  it('BC-016 gives a plain handler a list, also for one item', async () => {
    const seen: unknown[] = [];
    const handle = (batch: never[]) => {
      seen.push(batch);
      return batch;
    };
    expect(await run({ handle }, [7])).toEqual([7]);
    expect(await run({ handle }, [1, 2])).toEqual([1, 2]);
    expect(seen).toEqual([[7], [1, 2]]);
  });

  it('stacks numbers along a new first axis, and splits along it', async () => {
    const model = new Squares();
    expect(await run(handlerOf(model), [2, 3, 4])).toEqual([4, 9, 16]);
    expect(model.seen).toEqual(tensor('float64', [3], Float64Array.of(2, 3, 4)));
  });

  it('stacks tensors and typed arrays of equal shape', async () => {
    const model = new Squares();
    const rows = [Float64Array.of(1, 2), Float64Array.of(3, 4)];
    expect(await run(handlerOf(model), rows)).toEqual([
      tensor('float64', [2], Float64Array.of(1, 4)),
      tensor('float64', [2], Float64Array.of(9, 16)),
    ]);
    const tensors = [tensor('float64', [1, 1], Float64Array.of(5))];
    expect(await run(handlerOf(model), tensors)).toEqual([tensor('float64', [1, 1], Float64Array.of(25))]);
  });

  it('hands over the list when inputs do not stack', async () => {
    class Lengths extends BatchedModel {
      override predict(batch: Float32Array[]): number[] {
        return batch.map(({ length }) => length);
      }
    }
    expect(await run(handlerOf(new Lengths()), [new Float32Array(2), new Float32Array(5)])).toEqual([2, 5]);
  });

  it("an error in one item's decode or encode hits that item only", async () => {
    const results = await run(handlerOf(new Shout()), [' a ', 5, 'secret', 'b']);
    expect(results[0]).toBe('r0: A!');
    expect(results[1]).toMatchObject({ code: 'invalid_input' });
    expect(results[2]).toMatchObject({ message: 'not for everyone' });
    expect(results[3]).toBe('r3: B!');
  });

  it('does not call predict when no item could be decoded', async () => {
    const model = new Shout();
    model.predict = () => {
      throw new Error('must not be called');
    };
    const results = await run(handlerOf(model), [1, 2]);
    expect(results.every((result) => result instanceof ServingError)).toBe(true);
  });

  it('shows predict only the contexts of the items that it gets', async () => {
    let seen: unknown;
    const hooks = {
      decode: (request: unknown) => {
        if (request === 'bad') throw new Error('no');
        return request;
      },
    };
    const handle = (batch: never[], context: { items: readonly { requestId: string }[] }) => {
      seen = context.items.map(({ requestId }) => requestId);
      return batch;
    };
    await run({ handle, hooks }, ['a', 'bad', 'c']);
    expect(seen).toEqual(['r0', 'r2']);
  });

  it('recognises plain methods beside predict, and leaves other classes alone', () => {
    const withDecode = { predict: (batch: unknown) => batch, decode: (x: unknown) => x };
    expect(lifeCycleOf(withDecode, 'predict')).toBe(withDecode);
    expect(lifeCycleOf(withDecode, 'classify')).toBeUndefined();
    expect(lifeCycleOf({ predict: (batch: unknown) => batch }, 'predict')).toBeUndefined();
  });

  it.each([
    ['a string', 'four'],
    ['null', null],
    ['a Map', new Map([[0, 1]])],
    ['an object', { a: [1], b: [2], c: [3] }],
    ['2', [1, 2]],
    ['4', [1, 2, 3, 4]],
    ['result 1 is missing', Object.assign([1, 2], { 2: 3, 1: undefined })],
  ])('P2 refuses %s for three items', async (description, output) => {
    const failure = await run({ handle: () => output }, [1, 2, 3]).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'contract_violation' });
    expect((failure as Error).message).toContain(description);
  });
});

describe('signals', () => {
  it('aborts an item when it departs, and the batch when all have', () => {
    const context = contextOf(2);
    const { signal } = context;
    context.items[0]!.depart();
    expect([context.items[0]!.signal.aborted, context.items[1]!.signal.aborted]).toEqual([true, false]);
    expect(signal.aborted).toBe(false);
    context.items[1]!.depart();
    expect(signal.aborted).toBe(true);
    expect(contextOf(1).only([0]).signal.aborted).toBe(false);
  });
});
