import { ConfigurableModuleBuilder, Module } from '@nestjs/common';
import { PrometheusModule } from '@willsoto/nestjs-prometheus';
import type { Logger } from 'pino';
import { LOGGER } from './logging/logger.js';
import { InferenceMetrics } from './metrics/inference-metrics.js';
import { METRIC_PROVIDERS } from './metrics/metric-providers.js';
import { MetricsController } from './metrics/metrics.controller.js';
import { ShadowMetrics } from './metrics/shadow-metrics.js';

/** Options of {@link TelemetryModule}. */
export interface TelemetryModuleOptions {
  readonly logger: Logger;
}

const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } =
  new ConfigurableModuleBuilder<TelemetryModuleOptions>({ moduleName: 'Telemetry' })
    .setClassMethodName('forRoot')
    .setExtras({ isGlobal: true }, (definition, { isGlobal }) => ({ ...definition, global: isGlobal }))
    .build();

/** Provides the logger and the metrics, and serves the latter at `/metrics`. */
@Module({
  imports: [PrometheusModule.register({ path: '/metrics', controller: MetricsController })],
  providers: [
    ...METRIC_PROVIDERS,
    InferenceMetrics,
    ShadowMetrics,
    {
      provide: LOGGER,
      inject: [MODULE_OPTIONS_TOKEN],
      useFactory: ({ logger }: TelemetryModuleOptions) => logger,
    },
  ],
  exports: [InferenceMetrics, ShadowMetrics, LOGGER],
})
export class TelemetryModule extends ConfigurableModuleClass {}
