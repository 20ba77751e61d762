import { afterAll, describe, expect, it } from 'vitest';
import type { Recorded } from '../fixtures/recorder.js';
import type { Answer } from '../harness/answer.js';
import { fixture } from '../harness/configuration-file.js';
import { startServer } from '../harness/start-server.js';
import { stopAndCheck } from '../harness/stop-and-check.js';

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;
const server = await startServer({
  models: {
    recorder: { module: fixture('recorder'), version: 'v7', timeout: 20 },
    'waits-for-full': { module: fixture('recorder'), window: 'fixed', max_wait_time: 20, max_batch_size: 3 },
  },
});
afterAll(() => stopAndCheck(server));

function withId(id: string): Promise<Answer<Recorded>> {
  return server.predict<Recorded>('recorder', 1, { headers: { 'x-request-id': id } });
}

describe('X-Request-Id', () => {
  it.each(['abc-123', 'x'.repeat(128), '!~'])('%.20s is taken over, to the handler and back', async (id) => {
    const { headers, body } = await withId(id);
    expect([headers.get('x-request-id'), body.request_id, body.result.requestId]).toEqual([id, id, id]);
  });

  it('is made where the client gives none, another one each time', async () => {
    const answers = await Promise.all([1, 2, 3].map(() => server.predict<Recorded>('recorder', 1)));
    for (const { headers, body } of answers) {
      expect(body.request_id).toMatch(UUID);
      expect([headers.get('x-request-id'), body.result.requestId]).toEqual([
        body.request_id,
        body.request_id,
      ]);
    }
    expect(new Set(answers.map(({ body }) => body.request_id)).size).toBe(3);
  });

  it.each(['', 'two words', 'x'.repeat(129)])('"%.20s" is replaced', async (id) => {
    const { headers, body } = await withId(id);
    expect(body.request_id).toMatch(UUID);
    expect(headers.get('x-request-id')).toBe(body.request_id);
  });

  it('comes back with errors, health and metrics too', async () => {
    const headers = { 'x-request-id': 'mine' };
    const error = await server.predict('nope', 1, { headers });
    expect([error.headers.get('x-request-id'), error.body.request_id]).toEqual(['mine', 'mine']);
    for (const path of ['/health', '/metrics', '/nothing']) {
      const response = await fetch(server.url + path, { headers });
      await response.arrayBuffer();
      expect(response.headers.get('x-request-id')).toBe('mine');
    }
  });
});

describe("the handler's context", () => {
  it('names worker, device, model and version', async () => {
    const { body } = await server.predict<Recorded>('recorder', 1);
    expect(body.result).toMatchObject({ workerId: 0, device: 'cpu', model: 'recorder', version: 'v7' });
    expect(body.result.parameters).toEqual({});
  });

  it('BC-028: has the parameters of each item, also within one batch', async () => {
    const answers = await Promise.all(
      [0.1, 0.5, 0.9].map((threshold) =>
        server.predict<Recorded>('waits-for-full', threshold, {
          parameters: { threshold, nested: { threshold } },
        }),
      ),
    );
    expect(answers.map(({ body }) => body.result.size)).toEqual([3, 3, 3]);
    for (const { body } of answers) {
      const threshold = body.result.data as number;
      expect(body.result.parameters).toEqual({ threshold, nested: { threshold } });
    }
  });

  it('BC-118: has the request id of each item, also within one batch', async () => {
    const ids = ['first', 'second', 'third'];
    const answers = await Promise.all(
      ids.map((id) =>
        server.predict<Recorded>('waits-for-full', id, {
          headers: { 'x-request-id': id, authorization: id },
        }),
      ),
    );
    expect(answers.map(({ body }) => body.result.size)).toEqual([3, 3, 3]);
    expect(answers.map(({ body }) => [body.request_id, body.result.data, body.result.requestId])).toEqual(
      ids.map((id) => [id, id, id]),
    );
  });

  it.each([
    ['the model allows', {}, 20_000],
    ['the client asks for', { 'x-request-timeout': '7.5' }, 7500],
    ['the model allows, where the client asks for more', { 'x-request-timeout': '1e300' }, 20_000],
  ])('has the deadline that %s', async (_, headers, timeoutMs) => {
    const sentAt = Date.now();
    const { body } = await server.predict<Recorded>('recorder', 1, { headers });
    // Clocks are read in two processes, one of them in whole milliseconds.
    expect(body.result.deadline).toBeGreaterThan(sentAt + timeoutMs - 50);
    expect(body.result.deadline).toBeLessThan(Date.now() + timeoutMs + 50);
  });

  it('version= chooses the version', async () => {
    const { status, body } = await server.predict<Recorded>('recorder', 1, { version: 'v7' });
    expect([status, body.result.version]).toEqual([200, 'v7']);
  });
});
