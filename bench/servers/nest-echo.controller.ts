import { Body, Controller, HttpCode, Post, Req, UseGuards, UseInterceptors } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { NestEchoGuard } from './nest-echo.guard.js';
import { NestEchoInterceptor } from './nest-echo.interceptor.js';

@Controller('models')
export class NestEchoController {
  @Post(':name/predict')
  @HttpCode(200)
  @UseGuards(NestEchoGuard)
  @UseInterceptors(NestEchoInterceptor)
  echo(@Body() body: { readonly data: unknown }, @Req() request: FastifyRequest): object {
    const start = performance.now();
    return {
      result: body.data,
      request_id: request.id,
      processing_time: (performance.now() - start) / 1000,
    };
  }
}
