import { Agent, request, type OutgoingHttpHeaders } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

/** One request to send. */
export interface OpenLoopRequest {
  readonly path: string;
  readonly body: string | Uint8Array;
  readonly headers?: OutgoingHttpHeaders;
}

/** What became of it. */
export interface OpenLoopAnswer {
  /** 0 when the connection failed. */
  readonly status: number;
  /** When it was due, in milliseconds from the start. */
  readonly dueMs: number;
  /**
   * From the time at which it was due, not from when it was sent: a generator that falls behind must not make the
   * server look fast ("coordinated omission").
   */
  readonly latencyMs: number;
  readonly body: Buffer;
}

/**
 * Sends requests at given times, whether or not earlier ones have been answered.
 *
 * @param url the server
 * @param dueMs when each is due, ascending, in milliseconds from now
 * @param make the request to send at that place of `dueMs`
 * @returns the answers in the same order, when all are there
 */
export async function runOpenLoop(
  url: string,
  dueMs: readonly number[],
  make: (index: number) => OpenLoopRequest,
): Promise<OpenLoopAnswer[]> {
  const agent = new Agent({ keepAlive: true });
  const answers: Promise<OpenLoopAnswer>[] = [];
  const startedAt = performance.now();
  const elapsedMs = () => performance.now() - startedAt;
  try {
    while (answers.length < dueMs.length) {
      const due = dueMs[answers.length]!;
      if (due > elapsedMs()) await delay(due - elapsedMs());
      else answers.push(send(url, agent, make(answers.length), due, elapsedMs));
    }
    return await Promise.all(answers);
  } finally {
    agent.destroy();
  }
}

function send(
  url: string,
  agent: Agent,
  { path, body, headers = {} }: OpenLoopRequest,
  dueMs: number,
  elapsedMs: () => number,
): Promise<OpenLoopAnswer> {
  return new Promise((resolve) => {
    const settle = (status: number, parts: readonly Buffer[]) =>
      resolve({ status, dueMs, latencyMs: elapsedMs() - dueMs, body: Buffer.concat(parts) });
    const sent = request(
      `${url}${path}`,
      {
        agent,
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
          ...headers,
        },
      },
      (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.on('end', () => settle(response.statusCode!, parts));
        response.on('error', () => settle(0, []));
      },
    );
    sent.on('error', () => settle(0, []));
    sent.end(body);
  });
}
