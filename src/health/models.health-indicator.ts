import { ConfiguredModels } from '#registry';
import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { HealthIndicatorService, type HealthIndicatorResult } from '@nestjs/terminus';

/** Whether the server can serve the models that it was told to serve, looked at anew each time. */
@Injectable()
export class ModelsHealthIndicator implements OnModuleDestroy {
  #draining = false;

  constructor(
    @Inject(HealthIndicatorService) private readonly indicator: HealthIndicatorService,
    @Inject(ConfiguredModels) private readonly models: ConfiguredModels,
  ) {}

  onModuleDestroy(): void {
    this.#draining = true;
  }

  /** Down while the server drains. */
  serving(): HealthIndicatorResult {
    const check = this.indicator.check('server');
    return this.#draining ? check.down({ state: 'draining' }) : check.up();
  }

  /** The configured models' names. */
  get names(): string[] {
    return this.models.status.map(({ name }) => name);
  }

  /** Up when the model is ready and has a live lane. */
  ready(name: string): HealthIndicatorResult {
    const check = this.indicator.check(`model:${name}`);
    const model = this.models.status.find((candidate) => candidate.name === name)!;
    const { state, lanes, breaker, reason } = model;
    const report = {
      state,
      lanes,
      ...(breaker === undefined ? {} : { breaker }),
      ...(reason === undefined ? {} : { reason }),
    };
    return state === 'ready' && lanes > 0 ? check.up(report) : check.down(report);
  }
}
