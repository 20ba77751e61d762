import type { Codec } from '#codec';
import type { ItemStream } from '#model';
import { toProblem, toServingError } from '../errors/problem-details.js';
import type { RequestRecord } from './request-record.js';

/** What the events of one stream are made of. */
export interface EventSource {
  /** The token that has been read already, or the end. */
  readonly first: IteratorResult<unknown, undefined>;
  /** What comes after it. */
  readonly stream: ItemStream;
  /** Writes tokens: JSON. */
  readonly codec: Codec;
  readonly requestId: string;
  readonly record: RequestRecord;
}

/** The events of one stream: one a token, then `[DONE]`, or the error with which it ended. */
export async function* serverSentEvents(source: EventSource): AsyncGenerator<string, void, void> {
  const { first, stream, codec, requestId, record } = source;
  try {
    if (first.done !== true) yield event(codec, { token: first.value, request_id: requestId });
    for await (const token of stream) yield event(codec, { token, request_id: requestId });
    yield 'data: [DONE]\n\n';
  } catch (error) {
    const serving = toServingError(error);
    record.fail(serving.code);
    yield event(codec, { error: toProblem(serving, requestId) });
  } finally {
    // The response was given up, or a token could not be written.
    await stream.return();
  }
}

function event(codec: Codec, data: unknown): string {
  return `data: ${codec.encode(data).toString()}\n\n`;
}
