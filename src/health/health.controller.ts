import { Controller, Get, Inject, UseFilters } from '@nestjs/common';
import { HealthCheck, HealthCheckService, type HealthCheckResult } from '@nestjs/terminus';
import { HealthFilter } from './health.filter.js';
import { ModelsHealthIndicator } from './models.health-indicator.js';

/** Probes. */
@UseFilters(HealthFilter)
@Controller('health')
export class HealthController {
  constructor(
    @Inject(HealthCheckService) private readonly health: HealthCheckService,
    @Inject(ModelsHealthIndicator) private readonly models: ModelsHealthIndicator,
  ) {}

  /** The state of the server and of each configured model. */
  @Get()
  @HealthCheck()
  overall(): Promise<HealthCheckResult> {
    return this.ready();
  }

  /** 200 as long as the process answers. */
  @Get('live')
  @HealthCheck()
  live(): Promise<HealthCheckResult> {
    return this.health.check([]);
  }

  /** 200 when requests for every configured model will be served, else 503. */
  @Get('ready')
  @HealthCheck()
  ready(): Promise<HealthCheckResult> {
    const models = this.models.names.map((name) => () => this.models.ready(name));
    return this.health.check([() => this.models.serving(), ...models]);
  }
}
