import type { Body } from '../load/body-files.js';
import { runWrk } from '../load/wrk.js';
import { BatchCounter } from '../measure/batch-counter.js';
import { httpThreadSeconds, processSeconds } from '../measure/cpu-time.js';
import type { ServerProcess } from '../servers/server-process.js';
import type { Load, Measurement, Participant } from './participant.js';

/** Where and with what a server is called. */
export interface Call {
  readonly path: string;
  readonly body: Body;
  /** The served model, whose batches are looked up in the server's metrics. */
  readonly model?: string;
}

/** A server under the load of closed-loop clients. */
export class HttpParticipant implements Participant {
  constructor(
    readonly name: string,
    private readonly server: ServerProcess,
    private readonly call: Call,
  ) {}

  async warmUp(load: Load): Promise<void> {
    const { failed } = await this.measure(load);
    if (failed > 0) throw new Error(`${this.name}: ${failed} requests failed in the warm-up`);
  }

  async measure(load: Load): Promise<Measurement> {
    const { server, call } = this;
    const url = server.url + call.path;
    const batches = call.model === undefined ? undefined : new BatchCounter(server.url, call.model);
    await batches?.start();
    const [allBefore, httpBefore] = [processSeconds(server.pid), httpThreadSeconds(server.pid)];
    const { requests, seconds, failed, latencyMs } = await runWrk(url, call.body, load);
    const [allAfter, httpAfter] = [processSeconds(server.pid), httpThreadSeconds(server.pid)];
    const batchSize = await batches?.mean();
    return {
      rate: (requests - failed) / seconds,
      latencyMs,
      cpuMicros: {
        all: ((allAfter - allBefore) / requests) * 1e6,
        http: ((httpAfter - httpBefore) / requests) * 1e6,
      },
      ...(batchSize === undefined ? {} : { batchSize }),
      failed,
    };
  }
}
