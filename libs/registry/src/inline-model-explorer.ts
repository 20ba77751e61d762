import { batchedHandlerOptions, lifeCycleOf, type LifeCyclePredict } from '#model';
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
      const handle = prototype![method] as LifeCyclePredict;
      const handlerOptions = batchedHandlerOptions(handle);
      if (handlerOptions === undefined) continue;
      if (handlerOptions.execution === 'inline') {
        const hooks = lifeCycleOf(provider, method);
        await hooks?.setup?.('cpu');
        await this.registry.register({ handler: { handle: handle.bind(provider), hooks }, handlerOptions });
      } else {
        const provides = `${provider.constructor.name}.${method}`;
        this.logger.warn(
          `${provides} is a model for workers of its own: list its module under models, or say execution: 'inline'`,
        );
      }
    }
  }
}
