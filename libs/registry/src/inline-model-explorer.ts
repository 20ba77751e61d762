import { batchedHandlerOptions, type BatchHandler } from '#model';
import { LOGGER } from '#telemetry';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import type { Logger } from 'pino';
import { ModelRegistry } from './model-registry.js';

/** Registers the application's own providers that are inline models. */
@Injectable()
export class InlineModelExplorer implements OnModuleInit {
  constructor(
    @Inject(DiscoveryService) private readonly discovery: DiscoveryService,
    @Inject(MetadataScanner) private readonly scanner: MetadataScanner,
    @Inject(ModelRegistry) private readonly registry: ModelRegistry,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async onModuleInit(): Promise<void> {
    for (const { instance } of this.discovery.getProviders()) {
      if (typeof instance === 'object' && instance !== null) await this.#explore(instance as object);
    }
  }

  async #explore(provider: object): Promise<void> {
    const prototype = Object.getPrototypeOf(provider) as Record<string, unknown> | null;
    for (const method of this.scanner.getAllMethodNames(prototype)) {
      const handler = prototype![method] as BatchHandler<unknown, unknown>;
      const handlerOptions = batchedHandlerOptions(handler);
      if (handlerOptions === undefined) continue;
      if (handlerOptions.execution === 'inline') {
        await this.registry.register({ handler: handler.bind(provider), handlerOptions });
      } else {
        const provides = `${provider.constructor.name}.${method}`;
        this.logger.warn(
          `${provides} is a model for workers of its own: list its module under models, or say execution: 'inline'`,
        );
      }
    }
  }
}
