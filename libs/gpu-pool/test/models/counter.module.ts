import { BatchedHandler, DEVICE, MODEL_INFO, WORKER_ID, type ModelInfo } from '#model';
import { Inject, Injectable, Module, type OnModuleDestroy } from '@nestjs/common';

/** What has happened to the instances of this file's model, in order. */
export const events: string[] = [];

@Injectable()
export class Counter implements OnModuleDestroy {
  constructor(
    @Inject(DEVICE) private readonly device: string,
    @Inject(WORKER_ID) private readonly workerId: number,
    @Inject(MODEL_INFO) private readonly info: ModelInfo,
  ) {
    events.push('constructed');
  }

  setup(device: string): void {
    events.push(`set up on ${device}`);
  }

  decode(request: unknown): unknown {
    return request;
  }

  @BatchedHandler({ name: 'counter', version: 'v2', maxBatchSize: 4 })
  predict(batch: string[]): string[] {
    return batch.map(() => `${this.info.name} ${this.workerId} ${this.device}`);
  }

  onModuleDestroy(): void {
    events.push('destroyed');
  }
}

/** A function beside a module is not meant to be the model. */
export function unrelated(batch: unknown[]): unknown[] {
  return batch;
}

@Module({ providers: [Counter] })
export class CounterModule {}
