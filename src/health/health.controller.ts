import { Controller, Get, Inject, Req, UseFilters } from '@nestjs/common';
import { HealthCheck, HealthCheckService, type HealthCheckResult } from '@nestjs/terminus';
import type { FastifyRequest } from 'fastify';
import { Public } from '../access/audience.js';
import { HealthAudience, type HealthStatus } from './health-audience.js';
import { HealthFilter } from './health.filter.js';
import { ModelsHealthIndicator } from './models.health-indicator.js';

/** Probes. */
@Public()
@UseFilters(HealthFilter)
@Controller('health')
export class HealthController {
  constructor(
    @Inject(HealthCheckService) private readonly health: HealthCheckService,
    @Inject(ModelsHealthIndicator) private readonly models: ModelsHealthIndicator,
    @Inject(HealthAudience) private readonly audience: HealthAudience,
  ) {}

  /** The state of the server and of each configured model. */
  @Get()
  @HealthCheck()
  overall(@Req() request: FastifyRequest): Promise<HealthCheckResult | HealthStatus> {
    return this.ready(request);
  }

  /** 200 as long as the process answers. */
  @Get('live')
  @HealthCheck()
  async live(@Req() request: FastifyRequest): Promise<HealthCheckResult | HealthStatus> {
    return this.audience.show(await this.health.check([]), request);
  }

  /** 200 when requests for every model that is required will be served, else 503. */
  @Get('ready')
  @HealthCheck()
  async ready(@Req() request: FastifyRequest): Promise<HealthCheckResult | HealthStatus> {
    const models = this.models.ready.map((model) => () => model);
    return this.audience.show(await this.health.check([() => this.models.serving(), ...models]), request);
  }
}
