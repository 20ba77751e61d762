import type { BreakerState } from '#circuit-breaker';
import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { ModelRegistration, RegistrationState } from './life-cycle/model-registration.js';
import type { ModelDefinition } from './model-definition.js';
import { ModelRegistry } from './model-registry.js';
import { REGISTRY_OPTIONS, type RegistryModuleOptions } from './registry.options.js';

/** The state of one model that the server was told to serve. */
export interface ConfiguredModelStatus {
  readonly name: string;
  /** `undefined` until the handler's own version is known. */
  readonly version: string | undefined;
  /** `removed`: by an operator, after the start. */
  readonly state: RegistrationState | 'removed';
  /** Workers that are alive and have loaded it. */
  readonly lanes: number;
  /** The state of its circuit breaker; `undefined` before it is ready. */
  readonly breaker: BreakerState | undefined;
  readonly reason: string | undefined;
}

/** Loads the models that the server was told to serve, beside the HTTP server's start. */
@Injectable()
export class ConfiguredModels implements OnApplicationBootstrap {
  #definitions: readonly ModelDefinition[];
  readonly #registrations = new Map<ModelDefinition, ModelRegistration>();

  constructor(
    @Inject(REGISTRY_OPTIONS) { models = [] }: RegistryModuleOptions,
    @Inject(ModelRegistry) private readonly registry: ModelRegistry,
  ) {
    this.#definitions = models;
  }

  onApplicationBootstrap(): void {
    // A model that fails keeps the server from becoming ready; the registry has logged why.
    for (const definition of this.#definitions) this.#begin(definition, false).catch(() => undefined);
  }

  /**
   * Adds a model to those that the server was told to serve, in the place of one with its name and version. Settles
   * when it serves.
   *
   * @throws {ServingError} as `ModelRegistry.register()`; the model is listed all the same
   */
  async load(definition: ModelDefinition): Promise<void> {
    this.#definitions = [...this.#definitions, definition];
    await this.#begin(definition, true);
  }

  /** Takes a model from those that the server was told to serve, whatever becomes of it. */
  forget(definition: ModelDefinition): void {
    this.#definitions = this.#definitions.filter((each) => each !== definition);
    this.#registrations.delete(definition);
  }

  #begin(definition: ModelDefinition, replace: boolean): Promise<unknown> {
    const { registration, ready } = this.registry.begin(definition, { keepFailure: true, replace });
    this.#registrations.set(definition, registration);
    return ready;
  }

  /** Each configured model's state at this moment. */
  get status(): ConfiguredModelStatus[] {
    return this.#definitions.map((definition) => {
      const registration = this.#current(definition);
      return {
        name: registration?.name ?? definition.name ?? 'unnamed',
        version: registration?.version ?? definition.version,
        state: registration?.state ?? this.#absentState,
        lanes: registration?.served?.laneCount ?? 0,
        breaker: registration?.served?.breaker.state,
        reason: registration?.reason,
      };
    });
  }

  /** What serves in the place of a definition now: an operator may have replaced or removed it. */
  #current(definition: ModelDefinition): ModelRegistration | undefined {
    const first = this.#registrations.get(definition);
    const { registrations } = this.registry;
    if (first === undefined) return undefined;
    const same = registrations.filter(
      ({ name, version }) => name === first.name && (first.version ?? version) === version,
    );
    return same.find(({ state }) => state === 'ready') ?? same.at(-1);
  }

  get #absentState(): 'loading' | 'removed' {
    return this.#registrations.size === 0 ? 'loading' : 'removed';
  }
}
