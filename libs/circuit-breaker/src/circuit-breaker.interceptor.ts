import { MODEL_DIRECTORY, modelOfRequest, modelOfRoute, type ModelDirectory } from '#model';
import {
  Inject,
  Injectable,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import type { Observable } from 'rxjs';

/** Refuses requests to a model whose breaker is open: 503 with `Retry-After`. */
@Injectable()
export class CircuitBreakerInterceptor implements NestInterceptor {
  constructor(@Inject(MODEL_DIRECTORY) private readonly directory: ModelDirectory) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<object>();
    const route = modelOfRoute(context.getHandler());
    const model = modelOfRequest(request) ?? (route && this.directory.resolve(route.name, route.version));
    model?.assertBreakerCloses();
    return next.handle();
  }
}
