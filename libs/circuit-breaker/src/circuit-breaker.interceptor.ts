import { MODEL_DIRECTORY, resolveModelOf, type ModelDirectory, type ModelRequest } from '#model';
import {
  Inject,
  Injectable,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import type { Observable } from 'rxjs';

/** Refuses requests to a model whose breaker is open: 503 with `Retry-After`. Other requests pass. */
@Injectable()
export class CircuitBreakerInterceptor implements NestInterceptor {
  constructor(@Inject(MODEL_DIRECTORY) private readonly directory: ModelDirectory) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<ModelRequest>();
    resolveModelOf(request, context.getHandler(), this.directory)?.assertBreakerCloses();
    return next.handle();
  }
}
