import { describe, expect, it } from 'vitest';
import { NameQueues } from './name-queues.js';

/** An operation that the test ends. */
function controlled() {
  const events: string[] = [];
  let resolve!: (value: string) => void;
  let reject!: (error: Error) => void;
  const promise = new Promise<string>((...settle) => {
    [resolve, reject] = settle;
  });
  const operation = () => {
    events.push('started');
    return promise;
  };
  return { events, operation, resolve, reject };
}

async function settled(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

describe('the operations on one name', () => {
  it('BC-087 run one after the other, in order', async () => {
    const queues = new NameQueues();
    const [first, second] = [controlled(), controlled()];
    const results = [queues.run('m', first.operation), queues.run('m', second.operation)];
    await settled();
    expect([first.events.length, second.events.length]).toEqual([1, 0]);
    first.resolve('1');
    await settled();
    expect(second.events).toEqual(['started']);
    second.resolve('2');
    expect(await Promise.all(results)).toEqual(['1', '2']);
    await settled();
    expect(queues.isBusy('m')).toBe(false);
  });

  it('go on after one that fails', async () => {
    const queues = new NameQueues();
    const failing = queues.run('m', () => Promise.reject(new Error('no')));
    const next = queues.run('m', async () => 'yes');
    await expect(failing).rejects.toThrow('no');
    expect(await next).toBe('yes');
  });

  it('wait for what the one before has left behind, also those that were there already', async () => {
    const queues = new NameQueues();
    const rest = controlled();
    const first = queues.run('m', async (hold) => hold(rest.operation()));
    const second = controlled();
    void queues.run('m', second.operation);
    await first;
    await settled();
    expect(second.events).toEqual([]);
    rest.reject(new Error('whatever became of it'));
    await settled();
    expect(second.events).toEqual(['started']);
  });

  it('do not wait for those on another name', async () => {
    const queues = new NameQueues();
    void queues.run('slow', controlled().operation);
    expect(await queues.run('quick', async () => 'done')).toBe('done');
    expect([queues.isBusy('slow'), queues.isBusy('never')]).toEqual([true, false]);
  });
});
