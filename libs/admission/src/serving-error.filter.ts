import { ERROR_CODES, ServingError } from '#model';
import { Catch, Inject, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';

/**
 * Answers the errors of guards, interceptors and handles in an application of somebody's own: as
 * `application/problem+json` (RFC 9457) with their `code`, and with `Retry-After`. Without it Nest answers with their
 * status and message alone.
 */
@Catch(ServingError)
export class ServingErrorFilter implements ExceptionFilter<ServingError> {
  constructor(@Inject(HttpAdapterHost) private readonly adapterHost: HttpAdapterHost) {}

  catch({ code, status, message, retryAfterSeconds, faults }: ServingError, host: ArgumentsHost): void {
    const { httpAdapter } = this.adapterHost;
    const response = host.switchToHttp().getResponse<unknown>();
    if (httpAdapter.isHeadersSent(response)) return;
    if (retryAfterSeconds !== undefined) {
      httpAdapter.setHeader(response, 'retry-after', String(retryAfterSeconds));
    }
    httpAdapter.setHeader(response, 'content-type', 'application/problem+json; charset=utf-8');
    const { title } = ERROR_CODES[code];
    const errors = faults === undefined ? {} : { errors: faults };
    httpAdapter.reply(response, { title, status, detail: message, code, ...errors }, status);
  }
}
