import {
  Catch,
  Inject,
  ServiceUnavailableException,
  type ArgumentsHost,
  type ExceptionFilter,
} from '@nestjs/common';
import type { HealthCheckResult } from '@nestjs/terminus';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { HealthAudience } from './health-audience.js';

/** Answers a failed check with the report that says what is down: a probe's 503 is no error of the server's. */
@Catch(ServiceUnavailableException)
export class HealthFilter implements ExceptionFilter<ServiceUnavailableException> {
  constructor(@Inject(HealthAudience) private readonly audience: HealthAudience) {}

  catch(exception: ServiceUnavailableException, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const report = exception.getResponse() as HealthCheckResult;
    const shown = this.audience.show(report, http.getRequest<FastifyRequest>());
    void http.getResponse<FastifyReply>().status(503).send(shown);
  }
}
