import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import type { AnswerBody } from './answer.js';

/** What stands behind `data:` in one event of a stream. */
export interface StreamEvent<T> {
  readonly token?: T;
  readonly request_id?: string;
  readonly error?: AnswerBody;
}

/** A client that reads a stream of Server-Sent Events as they come, at its own pace. */
export class EventStream<T> {
  readonly #response: IncomingMessage;
  readonly #lines: AsyncIterator<string>;

  private constructor(response: IncomingMessage) {
    this.#response = response;
    this.#lines = events(response);
  }

  /** Asks for a stream, and returns once it has begun. */
  static async open<T>(
    url: string,
    body: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<EventStream<T>> {
    const open = request(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
    });
    open.end(JSON.stringify(body));
    const [response] = (await once(open, 'response')) as [IncomingMessage];
    // What a test does to a connection is no fault of the stream's.
    response.on('error', () => undefined);
    return new EventStream<T>(response);
  }

  get status(): number {
    return this.#response.statusCode!;
  }

  get headers(): IncomingMessage['headers'] {
    return this.#response.headers;
  }

  /** The next event: what its data say, `[DONE]`, or `undefined` at the end. */
  async next(): Promise<StreamEvent<T> | '[DONE]' | undefined> {
    const { done, value } = await this.#lines.next();
    if (done === true) return undefined;
    return value === '[DONE]' ? value : (JSON.parse(value) as StreamEvent<T>);
  }

  /** The next token. */
  async token(): Promise<T> {
    const event = await this.next();
    if (typeof event !== 'object' || event.token === undefined) {
      throw new Error(`no token but ${JSON.stringify(event)}`);
    }
    return event.token;
  }

  /** Everything that is left: the tokens, and how it ended: `[DONE]`, an error's code, or nothing at all. */
  async rest(): Promise<{ readonly tokens: T[]; readonly end: string | undefined }> {
    const tokens: T[] = [];
    for (let event = await this.next(); event !== undefined; event = await this.next()) {
      if (event === '[DONE]') return { tokens, end: event };
      if (event.error !== undefined) return { tokens, end: event.error.code };
      tokens.push(event.token!);
    }
    return { tokens, end: undefined };
  }

  /** Breaks the connection off. */
  leave(): void {
    this.#response.destroy();
  }
}

/** The data of each event. */
async function* events(response: IncomingMessage): AsyncGenerator<string, void, void> {
  let text = '';
  response.setEncoding('utf8');
  for await (const chunk of response as AsyncIterable<string>) {
    text += chunk;
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const event = text.slice(0, end);
      if (!event.startsWith('data: ')) throw new Error(`not an event: ${event}`);
      yield event.slice('data: '.length);
      text = text.slice(end + 2);
    }
  }
}
