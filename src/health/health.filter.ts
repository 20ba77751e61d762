import { Catch, ServiceUnavailableException, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply } from 'fastify';

/** Answers a failed check with the report that says what is down: a probe's 503 is no error of the server's. */
@Catch(ServiceUnavailableException)
export class HealthFilter implements ExceptionFilter<ServiceUnavailableException> {
  catch(exception: ServiceUnavailableException, host: ArgumentsHost): void {
    void host.switchToHttp().getResponse<FastifyReply>().status(503).send(exception.getResponse());
  }
}
