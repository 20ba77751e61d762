import { request, type Agent, type ClientRequest, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import type { AnswerBody } from './answer.js';

/** A POST below what `fetch` lets a test control: how its body is framed, its connection, when it breaks off. */
export interface RawRequestOptions {
  readonly headers?: Readonly<Record<string, string | number>>;
  readonly agent?: Agent;
}

/** Opens a POST whose body the test writes itself. Without a `content-length` it goes in chunks. */
export function openPost(url: string, { headers = {}, agent }: RawRequestOptions = {}): ClientRequest {
  return request(url, { method: 'POST', headers, ...(agent === undefined ? {} : { agent }) });
}

/** The answer to an open request. */
export async function answerTo(
  open: ClientRequest,
): Promise<{ readonly status: number; readonly body: AnswerBody }> {
  const [response] = (await once(open, 'response')) as [IncomingMessage];
  return { status: response.statusCode!, body: JSON.parse(await text(response)) as AnswerBody };
}
