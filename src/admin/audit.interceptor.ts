import { callerOfRequest } from '#model';
import {
  Inject,
  Injectable,
  SetMetadata,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { tap, type Observable } from 'rxjs';
import { AuditLog, type AdminAction, type AdminChange } from './audit-log.js';
import { decodedBodyOf } from './decode-body.pipe.js';

const AUDITED = 'smartbatch:audited';

/** The method changes something, which the {@link AuditLog} is told. */
export const Audited = (action: AdminAction): MethodDecorator => SetMetadata(AUDITED, action);

interface AdminRoute {
  Params: { readonly name: string; readonly version?: string };
  Querystring: Readonly<Record<string, unknown>>;
}

type AdminRequest = FastifyRequest<AdminRoute>;

/** Changes that go on behind their answer. */
const outcomes = new WeakMap<FastifyRequest, Promise<unknown>>();

/** Makes the audit log wait for what a change comes to, where its answer does not. */
export function auditLater(request: FastifyRequest, outcome: Promise<unknown>): void {
  outcomes.set(request, outcome);
  // Whatever becomes of the answer meanwhile, a refusal is nothing that nobody has expected.
  outcome.catch(() => undefined);
}

/** Tells the audit log of every change, also of those whose body or query is refused before their handler runs. */
@Injectable()
export class AuditInterceptor implements NestInterceptor {
  constructor(
    @Inject(Reflector) private readonly reflector: Reflector,
    @Inject(AuditLog) private readonly log: AuditLog,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const action = this.reflector.get<AdminAction | undefined>(AUDITED, context.getHandler());
    if (action === undefined) return next.handle();
    const request = context.switchToHttp().getRequest<AdminRequest>();
    const refused = (error: unknown) => this.log.refused(describe(action, request), error);
    return next.handle().pipe(
      tap({
        next: (answer) => {
          const done = (result: unknown) => this.log.done(describe(action, request, result));
          const outcome = outcomes.get(request);
          if (outcome === undefined) done(answer);
          else outcome.then(done, refused);
        },
        error: refused,
      }),
    );
  }
}

/** @param result of the change, which may know the version better than the request */
function describe(action: AdminAction, request: AdminRequest, result?: unknown): AdminChange {
  const body = decodedBodyOf(request);
  const { name: model, version: asked = labelIn(body) } = request.params;
  const version = labelIn(result) ?? asked;
  // Not all of the query: some put their token there.
  const { replace, wait, timeout } = request.query;
  return {
    action,
    model,
    ...(version === undefined ? {} : { version }),
    query: { replace, wait, timeout },
    body,
    operator: callerOfRequest(request)?.name ?? 'anonymous',
    address: request.ip,
    requestId: request.id,
  };
}

function labelIn(value: unknown): string | undefined {
  const label = (value as { readonly version?: unknown } | null | undefined)?.version;
  return typeof label === 'string' ? label : undefined;
}
