import { Inject, Injectable } from '@nestjs/common';
import type { HealthCheckResult } from '@nestjs/terminus';
import type { FastifyRequest } from 'fastify';
import { AccessControl } from '../access/access-control.js';

/** What a probe needs to know. */
export type HealthStatus = Pick<HealthCheckResult, 'status'>;

/** Keeps the names of models, and the reasons of their failures, for operators. */
@Injectable()
export class HealthAudience {
  constructor(@Inject(AccessControl) private readonly access: AccessControl) {}

  show(report: HealthCheckResult, { headers }: FastifyRequest): HealthCheckResult | HealthStatus {
    return this.access.admits('operators', headers) ? report : { status: report.status };
  }
}
