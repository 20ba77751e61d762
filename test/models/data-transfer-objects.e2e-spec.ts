import { afterAll, describe, expect, it } from 'vitest';
import { fixture } from '../harness/configuration-file.js';
import { startServer } from '../harness/start-server.js';
import { stopAndCheck } from '../harness/stop-and-check.js';

const server = await startServer({
  models: {
    parcel: { module: fixture('parcel/parcel.module') },
    pairs: { module: fixture('parcel/parcel.module'), window: 'fixed', max_wait_time: 20, max_batch_size: 2 },
  },
});
afterAll(() => stopAndCheck(server));

const letter = {
  kind: 'letter',
  emptyWeight: 1,
  weight: 2,
  to: { city: 'Ulm' },
  stops: [{ city: 'Bonn', code: '53111' }, { city: 'Mainz' }],
  size: [1, 2, 3],
};

describe('a DTO with nested classes', () => {
  it('reaches the handler as its classes, tensors included', async () => {
    const { status, body } = await server.predict('parcel', letter);
    expect(status).toBe(200);
    expect(body.result).toEqual({
      batchSize: 1,
      isParcel: true,
      isAddress: true,
      areAddresses: true,
      volume: 6,
    });
  });

  it.each([
    ['@IsIn', { kind: 'pigeon' }, '/data/kind'],
    ['@Min', { emptyWeight: -1 }, '/data/emptyWeight'],
    ['@IsNumber', { weight: '2' }, '/data/weight'],
    ['a missing property', { to: undefined }, '/data/to'],
    ['an unknown property', { stamp: 'blue' }, '/data/stamp'],
    ['a missing nested property', { to: {} }, '/data/to/city'],
    ['a nested property', { to: { city: '' } }, '/data/to/city'],
    ['a nested @Matches', { to: { city: 'Ulm', code: '890' } }, '/data/to/code'],
    ['an unknown nested property', { to: { city: 'Ulm', street: 'x' } }, '/data/to/street'],
    ['a property in a list', { stops: [{ city: 'Bonn' }, { city: 7 }] }, '/data/stops/1/city'],
    ['@ArrayMaxSize', { stops: [1, 2, 3, 4].map(() => ({ city: 'Bonn' })) }, '/data/stops'],
    ['@IsTensor', { size: [1, 2] }, '/data/size'],
  ])('is refused before it reaches a queue: %s', async (_, change, field) => {
    const before = (await server.metrics()).batches('parcel').count;
    const { status, body } = await server.predict('parcel', { ...letter, ...change });
    expect(status).toBe(422);
    expect(body.errors?.[0]?.field).toBe(field);
    expect((await server.metrics()).batches('parcel').count).toBe(before);
  });
});

describe('what only the class can check', () => {
  it.each([
    ['a custom validator', { weight: 1 }, '/data/weight', 'must be above emptyWeight'],
    ['@ValidateIf that applies', { kind: 'box' }, '/data/label', 'must be a string'],
  ])('is refused by the worker: %s', async (_, change, field, said) => {
    const { status, body } = await server.predict('parcel', { ...letter, ...change });
    expect(status).toBe(422);
    expect(body.code).toBe('invalid_input');
    expect(body.errors?.[0]?.field).toBe(field);
    expect(body.detail).toContain(said);
  });

  it('@ValidateIf that does not apply lets the property be left out', async () => {
    expect((await server.predict('parcel', letter)).status).toBe(200);
    expect((await server.predict('parcel', { ...letter, kind: 'box', label: 'A' })).status).toBe(200);
  });

  it('P3: hits its own client only, and the handler gets the others', async () => {
    const [bad, good] = await Promise.all([
      server.predict('pairs', { ...letter, weight: 0 }),
      server.predict<{ batchSize: number }>('pairs', letter),
    ]);
    expect(bad.status).toBe(422);
    expect([good.status, good.body.result.batchSize]).toEqual([200, 1]);
  });
});
