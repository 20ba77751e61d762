import {
  MODEL_DIRECTORY,
  resolveModelOf,
  ServingError,
  type ModelDirectory,
  type ModelRequest,
} from '#model';
import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { IncomingHttpHeaders } from 'node:http';
import { readRequestHeaders } from './request-headers.js';

/** What of a request the guard looks at. */
interface HttpRequest extends ModelRequest {
  readonly headers: IncomingHttpHeaders;
}

/**
 * Refuses a request that cannot be served now, or not in time, before its body is parsed: 404 for an unknown model,
 * 503 for one that is not ready, 429 with `Retry-After` where the queue is full or the answer would come too late.
 */
@Injectable()
export class AdmissionGuard implements CanActivate {
  constructor(@Inject(MODEL_DIRECTORY) private readonly directory: ModelDirectory) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<HttpRequest>();
    const model = resolveModelOf(request, context.getHandler(), this.directory);
    if (model === undefined) throw new ServingError('model_not_found', 'the route names no model');
    model.assertAdmits(1, readRequestHeaders(request.headers));
    return true;
  }
}
