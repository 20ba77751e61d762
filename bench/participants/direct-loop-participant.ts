import type { DirectLoopRequest, DirectLoopResult } from '../direct-loop.js';
import type { ServerProcess } from '../servers/server-process.js';
import type { Load, Measurement, Participant } from './participant.js';

/** The same ONNX file in a process of its own, called batch after batch with nothing around it. */
export class DirectLoopParticipant implements Participant {
  constructor(
    readonly name: string,
    private readonly process: ServerProcess,
    private readonly batchSizes: readonly number[],
  ) {}

  async warmUp({ seconds }: Load): Promise<void> {
    await this.run(seconds);
  }

  /** The rate at its best batch size. */
  async measure({ seconds }: Load): Promise<Measurement> {
    const rates = await this.run(seconds);
    const best = rates.reduce((a, b) => (b.rate > a.rate ? b : a));
    return { rate: best.rate, cpuMicros: { all: best.cpuMicros }, batchSize: best.batchSize, failed: 0 };
  }

  private run(seconds: number): Promise<DirectLoopResult> {
    const request: DirectLoopRequest = { batchSizes: this.batchSizes, seconds };
    return this.process.ask(request) as Promise<DirectLoopResult>;
  }
}
