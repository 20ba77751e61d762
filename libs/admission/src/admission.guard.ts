import {
  MODEL_DIRECTORY,
  resolveModelOf,
  ServingError,
  type ModelDirectory,
  type ModelRequest,
} from '#model';
import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';

/**
 * Refuses a request that cannot be served now, before its body is parsed: 404 for an unknown model, 503 for
 * one that is not ready, 429 with `Retry-After` for a full queue.
 */
@Injectable()
export class AdmissionGuard implements CanActivate {
  constructor(@Inject(MODEL_DIRECTORY) private readonly directory: ModelDirectory) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<ModelRequest>();
    const model = resolveModelOf(request, context.getHandler(), this.directory);
    if (model === undefined) throw new ServingError('model_not_found', 'the route names no model');
    model.assertAdmits();
    return true;
  }
}
