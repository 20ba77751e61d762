import {
  MODEL_DIRECTORY,
  modelOfRequest,
  modelOfRoute,
  setModelOfRequest,
  type ModelDirectory,
  type RequestedModel,
} from '#model';
import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';

interface HttpRequest {
  readonly params?: { readonly name?: string };
  readonly query?: { readonly version?: string };
}

/**
 * Refuses a request that cannot be served now, before its body is parsed: 404 for an unknown model, 503 for
 * one that is not ready, 429 with `Retry-After` for a full queue.
 */
@Injectable()
export class AdmissionGuard implements CanActivate {
  constructor(@Inject(MODEL_DIRECTORY) private readonly directory: ModelDirectory) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<HttpRequest>();
    let model = modelOfRequest(request);
    if (model === undefined) {
      const { name, version } = modelOfRoute(context.getHandler()) ?? requestedBy(request);
      model = this.directory.resolve(name, version);
      setModelOfRequest(request, model);
    }
    model.assertAdmits();
    return true;
  }
}

function requestedBy({ params, query }: HttpRequest): RequestedModel {
  const name = params?.name ?? '';
  return query?.version === undefined ? { name } : { name, version: query.version };
}
