import type { BreakerState } from '#circuit-breaker';
import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { ModelDefinition } from './model-definition.js';
import type { RegistrationState } from './model-registration.js';
import { ModelRegistry } from './model-registry.js';
import { REGISTRY_OPTIONS, type RegistryModuleOptions } from './registry.options.js';

/** The state of one model that the server was told to serve. */
export interface ConfiguredModelStatus {
  readonly name: string;
  readonly state: RegistrationState;
  /** Workers that are alive and have loaded it. */
  readonly lanes: number;
  /** The state of its circuit breaker; `undefined` before it is ready. */
  readonly breaker: BreakerState | undefined;
  readonly reason: string | undefined;
}

/** Loads the models that the server was told to serve, beside the HTTP server's start. */
@Injectable()
export class ConfiguredModels implements OnApplicationBootstrap {
  readonly #definitions: readonly ModelDefinition[];

  constructor(
    @Inject(REGISTRY_OPTIONS) { models = [] }: RegistryModuleOptions,
    @Inject(ModelRegistry) private readonly registry: ModelRegistry,
  ) {
    this.#definitions = models;
  }

  onApplicationBootstrap(): void {
    // A model that fails keeps the server from becoming ready; the registry has logged why.
    for (const definition of this.#definitions) this.registry.register(definition).catch(() => undefined);
  }

  /** Each configured model's state at this moment. */
  get status(): ConfiguredModelStatus[] {
    const registrations = new Map(this.registry.registrations.map((each) => [each.definition, each]));
    return this.#definitions.map((definition) => {
      const registration = registrations.get(definition);
      return {
        name: registration?.name ?? definition.name ?? 'unnamed',
        state: registration?.state ?? 'loading',
        lanes: registration?.served?.laneCount ?? 0,
        breaker: registration?.served?.breaker.state,
        reason: registration?.reason,
      };
    });
  }
}
