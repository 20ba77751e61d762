import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

/** Lets every request pass, after it has looked at it as a guard does. */
@Injectable()
export class NestEchoGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    return context.switchToHttp().getRequest<FastifyRequest>().params !== undefined;
  }
}
