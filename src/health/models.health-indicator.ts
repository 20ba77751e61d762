import { ConfiguredModels, type ConfiguredModelStatus } from '#registry';
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

  /** How each model stands that was configured, or is required: up when it is ready and has a live lane, or is not required. */
  get ready(): HealthIndicatorResult[] {
    const models = this.models.status;
    return models.map((model) => {
      const { name, version } = model;
      const isOnly = models.filter((other) => other.name === name).length === 1;
      return this.#report(isOnly ? `model:${name}` : `model:${name}:${version ?? 'unknown'}`, model);
    });
  }

  #report(key: string, model: ConfiguredModelStatus): HealthIndicatorResult {
    const check = this.indicator.check(key);
    const { state, lanes, breaker, reason, required } = model;
    const report = {
      state,
      lanes,
      ...(breaker === undefined ? {} : { breaker }),
      ...(reason === undefined ? {} : { reason }),
      ...(required ? {} : { required }),
    };
    return !required || (state === 'ready' && lanes > 0) ? check.up(report) : check.down(report);
  }
}
