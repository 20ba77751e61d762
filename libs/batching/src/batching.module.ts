import { ConfigurableModuleBuilder, Module } from '@nestjs/common';
import { DEVICE_ARBITER, WINDOW_POLICIES } from './batching.constants.js';
import { CLOCK } from './clock/clock.js';
import { SystemClock } from './clock/system-clock.js';
import { DeviceArbiter } from './device/device-arbiter.js';
import { WindowPolicies } from './window/window-policies.js';
import type { WindowPolicyFactory } from './window/window-policy.js';

/** Options of {@link BatchingModule}. */
export interface BatchingModuleOptions {
  /** Window policies of the application's own, by the name that models use in their `window` option. */
  readonly windows?: Readonly<Record<string, WindowPolicyFactory>>;
  /** Batches that may run at once on one device, over all models, ≥ 1. Default: as many as there are workers. */
  readonly deviceConcurrency?: number;
}

const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } =
  new ConfigurableModuleBuilder<BatchingModuleOptions>({ moduleName: 'Batching' })
    .setClassMethodName('forRoot')
    .setExtras({ isGlobal: true }, (definition, { isGlobal }) => ({ ...definition, global: isGlobal }))
    .build();

/** Provides the clock and the window policies from which batchers are made. */
@Module({
  providers: [
    { provide: CLOCK, useClass: SystemClock },
    {
      provide: WINDOW_POLICIES,
      inject: [MODULE_OPTIONS_TOKEN],
      useFactory: ({ windows }: BatchingModuleOptions) => new WindowPolicies(windows),
    },
    {
      provide: DEVICE_ARBITER,
      inject: [MODULE_OPTIONS_TOKEN],
      useFactory: ({ deviceConcurrency }: BatchingModuleOptions) => new DeviceArbiter(deviceConcurrency),
    },
  ],
  exports: [CLOCK, WINDOW_POLICIES, DEVICE_ARBITER],
})
export class BatchingModule extends ConfigurableModuleClass {}
