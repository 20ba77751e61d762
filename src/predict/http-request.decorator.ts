import { createParamDecorator, type ExecutionContext } from '@nestjs/common';

/** Gives a pipe the whole request, where `@Body()` would give it the bytes alone. */
export const HttpRequest = createParamDecorator((_: unknown, context: ExecutionContext): unknown =>
  context.switchToHttp().getRequest(),
);
