import { createLogger } from '#telemetry';
import { Controller, Get, Post } from '@nestjs/common';
import { FastifyAdapter, RouteConfig, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import type { FastifyInstance } from 'fastify';
import { afterEach, describe, expect, it } from 'vitest';
import { ProblemFilter } from '../errors/problem.filter.js';
import { AccessControl } from './access-control.js';
import { ForClients, ForOperators, Public } from './audience.js';
import { hashOf } from './credentials.js';
import { guardRoutes } from './guard-routes.js';

@Controller('shop')
@ForOperators()
class Shop {
  @Get('orders/:id')
  orders(): string {
    return 'orders';
  }

  @Public()
  @Get('door')
  door(): string {
    return 'door';
  }

  @Post('buy')
  @RouteConfig({ counted: true })
  buy(): string {
    return 'bought';
  }

  @ForClients()
  @Get('look')
  look(): string {
    return 'look';
  }
}

/** A method's own audience counts in whatever order its decorators stand. */
@Controller('order')
@Public()
class Order {
  @RouteConfig({ counted: true })
  @ForOperators()
  @Get('above')
  above(): string {
    return 'above';
  }

  @ForOperators()
  @RouteConfig({ counted: true })
  @Get('below')
  below(): string {
    return 'below';
  }
}

@Controller('forgotten')
class Forgotten {
  @Get(':id')
  get(): string {
    return 'forgotten';
  }
}

let app: NestFastifyApplication;
afterEach(() => app.close());

async function serve(controller: new () => object, before?: (fastify: FastifyInstance) => void) {
  const module = await Test.createTestingModule({ controllers: [controller] }).compile();
  app = module.createNestApplication<NestFastifyApplication>(new FastifyAdapter());
  app.useGlobalFilters(new ProblemFilter(createLogger('silent')));
  const fastify: FastifyInstance = app.getHttpAdapter().getInstance();
  const hash = hashOf('secret');
  guardRoutes(
    fastify,
    new AccessControl({ operators: [{ name: 'o', hash }], clients: [], metricsArePublic: false }),
  );
  before?.(fastify);
  await app.init();
  await fastify.ready();
  return async (method: 'GET' | 'POST' | 'HEAD', url: string, authorization = '') =>
    (await fastify.inject({ method, url, headers: { authorization } })).statusCode;
}

describe('a route is for its audience', () => {
  it('which its controller says, and its method before that', async () => {
    const send = await serve(Shop);
    expect(await send('GET', '/shop/orders/1')).toBe(401);
    expect(await send('HEAD', '/shop/orders/1')).toBe(401);
    expect(await send('POST', '/shop/buy')).toBe(401);
    expect(await send('GET', '/shop/door')).toBe(200);
    expect(await send('GET', '/shop/look')).toBe(200);
    expect(await send('GET', '/shop/orders/1', 'Bearer secret')).toBe(200);
    expect(await send('POST', '/shop/buy', 'Bearer secret')).toBe(201);
    expect(await send('GET', '/shop/none')).toBe(404);
  });

  it('in whatever order decorators stand', async () => {
    const send = await serve(Order);
    for (const path of ['/order/above', '/order/below']) {
      expect(await send('GET', path)).toBe(401);
      expect(await send('GET', path, 'Bearer secret')).toBe(200);
    }
  });

  it('BC-122 or the server does not start', async () => {
    await expect(serve(Forgotten)).rejects.toThrow('GET /forgotten/:id has no audience');
    const plain = (fastify: FastifyInstance) => fastify.get('/plain', async () => 'plain');
    await expect(serve(Shop, plain)).rejects.toThrow('GET /plain has no audience');
  });
});
