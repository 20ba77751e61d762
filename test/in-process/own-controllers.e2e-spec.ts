import 'reflect-metadata';
import type { ModelRegistry } from '#registry';
import type { Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Turnstile } from '../fixtures/inline/turnstile.js';
import type { VenueController } from '../fixtures/inline/venue.controller.js';
import { fixture } from '../harness/configuration-file.js';
import { waitUntil } from '../harness/wait-until.js';

let app: NestFastifyApplication;
let turnstile: Turnstile;
let controller: VenueController;
let registry: ModelRegistry;

/** A class of the application as it was built, which is how its decorators were meant to be compiled. */
async function built<T>(file: string, name: string): Promise<Type<T>> {
  const exports = (await import(fixture(`inline/${file}`))) as Record<string, Type<T>>;
  return exports[name]!;
}

beforeAll(async () => {
  const module = await built('venue.module', 'VenueModule');
  app = await NestFactory.create<NestFastifyApplication>(module, new FastifyAdapter(), { logger: false });
  await app.init();
  turnstile = app.get(await built<Turnstile>('turnstile', 'Turnstile'));
  controller = app.get(await built<VenueController>('venue.controller', 'VenueController'));
  registry = app.get((await import('#registry')).ModelRegistry);
  await waitUntil('the model is ready', () => registry.find('turnstile') !== undefined);
});
afterEach(() => turnstile.open());
afterAll(() => app.close());

/** Starts at once, which what `inject` returns does not before somebody waits for it. */
async function post(url: string, headers: Record<string, string> = {}) {
  return await app.inject({ method: 'POST', url, headers });
}

const model = () => registry.resolve('turnstile');

/** Takes the one place to run and the one to wait. Returns what becomes of them. */
async function fill(): Promise<{ readonly answers: Promise<unknown> }> {
  turnstile.close();
  const { handled } = controller;
  const running = post('/enter');
  await waitUntil('one runs', () => controller.handled > handled && model().queueSize === 0);
  const waiting = post('/enter');
  await waitUntil('one waits', () => model().queueSize === 1);
  return { answers: Promise.all([running, waiting]) };
}

describe('the guard on a controller of an application', () => {
  it('refuses before the controller is asked, with the reason and when to try again', async () => {
    const { answers } = await fill();
    const { handled } = controller;
    for (const url of ['/enter', '/guarded/turnstile']) {
      const refused = await post(url);
      expect(refused.statusCode).toBe(429);
      expect(refused.headers['retry-after']).toBe('1');
      expect(refused.headers['content-type']).toContain('application/problem+json');
      expect(refused.json()).toMatchObject({ status: 429, code: 'queue_full', title: 'The queue is full' });
    }
    expect(controller.handled).toBe(handled);
    turnstile.open();
    expect(await answers).toMatchObject([{ body: 'somebody is in' }, { body: 'somebody is in' }]);
  });

  it('lets others through, whatever the route names', async () => {
    expect(await post('/guarded/turnstile?version=1')).toMatchObject({ statusCode: 201, body: 'may come' });
    expect((await post('/guarded/turnstile?version=9')).json()).toMatchObject({ code: 'version_not_found' });
    expect((await post('/guarded/nothing')).json()).toMatchObject({ status: 404, code: 'model_not_found' });
  });

  it('reads the headers that say how a request is to be served', async () => {
    const refused = await post('/enter', { 'x-request-timeout': 'soon' });
    expect(refused.json()).toMatchObject({ status: 400, code: 'invalid_header' });
  });

  it('has its status also where Nest answers', async () => {
    const { answers } = await fill();
    const refused = await post('/plain');
    expect([refused.statusCode, refused.json()]).toMatchObject([429, { statusCode: 429 }]);
    turnstile.open();
    await answers;
  });
});

describe('the interceptor on a controller of an application', () => {
  it('refuses while the breaker is open, with the guard and without', async () => {
    await expect(model().predict('troublemaker')).rejects.toMatchObject({ code: 'handler_failed' });
    const { handled } = controller;
    for (const url of ['/enter', '/intercepted/turnstile']) {
      const refused = await post(url);
      expect([refused.statusCode, refused.headers['retry-after']]).toEqual([503, '10']);
      expect(refused.json()).toMatchObject({ code: 'breaker_open' });
    }
    expect(controller.handled).toBe(handled);
    expect((await post('/guarded/turnstile')).statusCode).toBe(201);
    model().resetBreaker();
    expect(await post('/intercepted/turnstile')).toMatchObject({ statusCode: 201, body: 'may come' });
    expect(await post('/enter')).toMatchObject({ statusCode: 201, body: 'somebody is in' });
  });
});
