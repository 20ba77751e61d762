import { ConfigurableModuleBuilder, Module } from '@nestjs/common';
import { WINDOW_POLICIES } from './batching.constants.js';
import { CLOCK } from './clock/clock.js';
import { SystemClock } from './clock/system-clock.js';
import { WindowPolicies } from './window/window-policies.js';
import type { WindowPolicyFactory } from './window/window-policy.js';

/** Options of {@link BatchingModule}. */
export interface BatchingModuleOptions {
  /** Window policies of the application's own, by the name that models use in their `window` option. */
  readonly windows?: Readonly<Record<string, WindowPolicyFactory>>;
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
  ],
  exports: [CLOCK, WINDOW_POLICIES],
})
export class BatchingModule extends ConfigurableModuleClass {}
