import { BatchingModule, type WindowPolicyFactory } from '#batching';
import { GpuPoolModule } from '#gpu-pool';
import { RegistryModule } from '#registry';
import { TelemetryModule } from '#telemetry';
import { Module, type DynamicModule } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import type { Logger } from 'pino';
import { AccessModule } from './access/access.module.js';
import { AdminModule } from './admin/admin.module.js';
import type { Settings } from './config/load-settings.js';
import { stateDirectory } from './config/state-directory.js';
import { ProblemFilter } from './errors/problem.filter.js';
import { HealthModule } from './health/health.module.js';
import { PredictModule } from './predict/predict.module.js';

/** Wires the libraries into a server. */
@Module({})
export class AppModule {
  static forRoot(
    settings: Settings,
    windows: Readonly<Record<string, WindowPolicyFactory>>,
    logger: Logger,
  ): DynamicModule {
    const { devices } = settings;
    const state = stateDirectory(settings);
    return {
      module: AppModule,
      imports: [
        TelemetryModule.forRoot({ logger }),
        BatchingModule.forRoot({ windows, deviceConcurrency: settings.device_concurrency || Infinity }),
        GpuPoolModule.forRoot({ devices: devices.includes('auto') ? 'auto' : devices }),
        RegistryModule.forRoot({
          models: settings.models,
          traffic: settings.traffic,
          ...(settings.model_repository === ''
            ? {}
            : { repository: { path: settings.model_repository, watch: settings.watch } }),
          drainTimeoutMs: settings.shutdown_timeout * 1000,
          modelRoots: settings.model_paths,
          baseDirectory: settings.base_directory,
          ...(state === undefined ? {} : { stateDirectory: state }),
        }),
        AccessModule.forRoot({
          operators: settings.operators,
          clients: settings.clients,
          metricsArePublic: settings.metrics === 'everyone',
        }),
        PredictModule,
        AdminModule,
        HealthModule,
      ],
      providers: [{ provide: APP_FILTER, useClass: ProblemFilter }],
    };
  }
}
