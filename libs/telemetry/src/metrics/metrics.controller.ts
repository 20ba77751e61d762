import { Controller, Get, Inject, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { PrometheusController } from '@willsoto/nestjs-prometheus';
import { InferenceMetrics } from './inference-metrics.js';

/** Serves the metrics to Prometheus. */
@ApiExcludeController()
@Controller()
export class MetricsController extends PrometheusController {
  constructor(@Inject(InferenceMetrics) private readonly metrics: InferenceMetrics) {
    super();
  }

  @Get()
  override async index(@Res({ passthrough: true }) response: unknown): Promise<string> {
    this.metrics.collect();
    const text = await super.index(response);
    await this.metrics.forgetRetired();
    return text;
  }
}
