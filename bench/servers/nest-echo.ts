import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { randomUUID } from 'node:crypto';
import { NestEchoModule } from './nest-echo.module.js';

/* The least that our server's route can cost on Nest: an echo behind a guard and an interceptor. */

const adapter = new FastifyAdapter({
  bodyLimit: 64 * 2 ** 20,
  genReqId: () => randomUUID(),
  requestIdHeader: false,
  forceCloseConnections: true,
});
const app = await NestFactory.create<NestFastifyApplication>(NestEchoModule, adapter, { logger: false });
await app.listen(Number(process.env['PORT']), '127.0.0.1');
