import 'reflect-metadata';
import { tensor } from '#model';
import type { INestApplicationContext, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PriceLookup } from '../fixtures/inline/price-lookup.js';
import type { Shop } from '../fixtures/inline/shop.js';
import { fixture } from '../harness/configuration-file.js';
import { waitUntil } from '../harness/wait-until.js';

let app: INestApplicationContext;
let lookup: PriceLookup;
let shop: Shop;

/** A class of the application as it was built, which is how its decorators were meant to be compiled. */
async function built<T>(file: string, name: string): Promise<Type<T>> {
  const exports = (await import(fixture(`inline/${file}`))) as Record<string, Type<T>>;
  return exports[name]!;
}

beforeAll(async () => {
  app = await NestFactory.createApplicationContext(await built('shop.module', 'ShopModule'), {
    logger: false,
    abortOnError: false,
  });
  lookup = app.get(await built<PriceLookup>('price-lookup', 'PriceLookup'));
  shop = app.get(await built<Shop>('shop', 'Shop'));
});
afterAll(() => app.close());

describe('an inline model, called through an injected handle', () => {
  it('makes one batch of ten calls, and gives each its own result', async () => {
    const names = Array.from({ length: 10 }, (_, index) => 'x'.repeat(index + 1));
    const prices = await Promise.all(names.map((name) => shop.price.predict(name)));
    expect(prices).toEqual(names.map((name) => name.length));
    expect(lookup.calls).toEqual([names]);
  });

  it('hands on parameters and ids, and names its model', async () => {
    await shop.price.predict('tea', { requestId: 'mine', parameters: { currency: 'EUR' } });
    const { model, version, items } = lookup.contexts.at(-1)!;
    expect([model, version]).toEqual(['price', '1']);
    expect(items[0]).toMatchObject({ requestId: 'mine', parameters: { currency: 'EUR' } });
  });

  it('an Error in a slot rejects its own caller only', async () => {
    const [known, unknown] = await Promise.allSettled(
      ['tea', 'unknown'].map((name) => shop.price.predict(name)),
    );
    expect(known).toEqual({ status: 'fulfilled', value: 3 });
    expect(unknown).toMatchObject({ reason: { code: 'handler_failed', message: 'no price of unknown' } });
  });

  it('refuses what does not fit its input description', async () => {
    const before = lookup.calls.length;
    await expect(shop.price.predict('')).rejects.toMatchObject({ code: 'invalid_input' });
    expect(lookup.calls).toHaveLength(before);
  });

  it('a call can be withdrawn', async () => {
    const caller = new AbortController();
    const call = shop.price.predict('tea', { signal: caller.signal });
    caller.abort();
    await expect(call).rejects.toMatchObject({ code: 'cancelled' });
  });
});

describe('a model in a worker, called through an injected handle', () => {
  it('takes and gives tensors', async () => {
    const input = tensor('float32', [2, 3], Float32Array.of(1, 2, 3, 4, 5, 6));
    let result: { data: Float32Array } | undefined;
    await waitUntil('the worker has loaded it', async () => {
      result = await shop.doubled.predict(input).catch(() => undefined);
      return result !== undefined;
    });
    expect([...result!.data]).toEqual([2, 4, 6, 8, 10, 12]);
    // What the caller passed is still the caller's.
    expect([...input.data]).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it('a handle to a model that does not exist says so when it is called', async () => {
    await expect(shop.nowhere.predict(1)).rejects.toMatchObject({ code: 'model_not_found' });
  });
});
