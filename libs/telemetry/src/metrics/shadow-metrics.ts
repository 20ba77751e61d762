import { Injectable } from '@nestjs/common';
import { InjectMetric } from '@willsoto/nestjs-prometheus';
import type { Counter } from 'prom-client';
import { SHADOW_REQUESTS } from './metric-providers.js';
import type { RequestOutcome } from './request-outcome.js';

/** Counts the copies of requests whose answers nobody sees. They are no requests in any other metric. */
@Injectable()
export class ShadowMetrics {
  constructor(@InjectMetric(SHADOW_REQUESTS) private readonly shadows: Counter) {}

  /**
   * @param version the one that got the copy
   * @param outcome `dropped` for one that was not sent, since enough were on their way
   */
  ended(model: string, version: string, outcome: RequestOutcome | 'dropped'): void {
    this.shadows.inc({ model, version, outcome });
  }
}
