import { Inject, Injectable, type BeforeApplicationShutdown, type OnModuleDestroy } from '@nestjs/common';
import { ModelRegistry } from './model-registry.js';
import {
  DEFAULT_DRAIN_TIMEOUT_MS,
  REGISTRY_OPTIONS,
  type RegistryModuleOptions,
} from './registry.options.js';

/** Stops serving in the order that loses nothing: refuse new, answer what was admitted, end the workers. */
@Injectable()
export class RegistryShutdown implements OnModuleDestroy, BeforeApplicationShutdown {
  readonly #drainTimeoutMs: number;

  constructor(
    @Inject(REGISTRY_OPTIONS) { drainTimeoutMs = DEFAULT_DRAIN_TIMEOUT_MS }: RegistryModuleOptions,
    @Inject(ModelRegistry) private readonly registry: ModelRegistry,
  ) {
    this.#drainTimeoutMs = drainTimeoutMs;
  }

  onModuleDestroy(): void {
    this.registry.close();
  }

  // Before the HTTP server closes: afterwards there would be nobody left to answer.
  beforeApplicationShutdown(): Promise<void> {
    return this.registry.retire(this.#drainTimeoutMs);
  }
}
