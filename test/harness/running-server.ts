import type { Answer, AnswerBody } from './answer.js';
import { MetricsText } from './metrics-text.js';
import type { ProcessEnd, ServerProcess } from './server-process.js';
import { waitUntil } from './wait-until.js';

/** What a test says of a prediction besides its data. */
export interface PredictionExtras {
  readonly parameters?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  readonly version?: string;
}

/** A server that listens, seen from outside. */
export class RunningServer {
  constructor(
    readonly process: ServerProcess,
    readonly url: string,
  ) {}

  /** Asks for one prediction in JSON. */
  predict<R = unknown>(name: string, data: unknown, extras: PredictionExtras = {}): Promise<Answer<R>> {
    const { parameters, headers, signal, version } = extras;
    const query = version === undefined ? '' : `?version=${encodeURIComponent(version)}`;
    return this.send<R>(`/models/${name}/predict${query}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ data, ...(parameters === undefined ? {} : { parameters }) }),
      ...(signal === undefined ? {} : { signal }),
    });
  }

  /** Sends any request and reads the answer's JSON. */
  async send<R = unknown>(path: string, init: RequestInit = {}): Promise<Answer<R>> {
    const response = await fetch(this.url + path, init);
    const { status, headers } = response;
    return { status, headers, body: (await response.json()) as AnswerBody<R> };
  }

  async status(path: string): Promise<number> {
    const response = await fetch(this.url + path);
    await response.arrayBuffer();
    return response.status;
  }

  async metrics(): Promise<MetricsText> {
    const response = await fetch(`${this.url}/metrics`);
    return new MetricsText(await response.text());
  }

  /** Waits until the metrics say so. */
  untilMetrics(what: string, isTrue: (metrics: MetricsText) => boolean): Promise<void> {
    return waitUntil(what, async () => isTrue(await this.metrics()));
  }

  untilReady(): Promise<void> {
    return waitUntil('the server is ready', async () => {
      if (this.process.hasEnded) throw new Error(`the server ended:\n${this.process.stderrLines.join('\n')}`);
      return (await this.status('/health/ready')) === 200;
    });
  }

  stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<ProcessEnd> {
    this.process.kill(signal);
    return this.process.ended;
  }

  /** The lines of the log whose message is this. */
  logged(message: string): Record<string, unknown>[] {
    return this.process.stdoutLines
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter(({ msg }) => msg === message);
  }
}
