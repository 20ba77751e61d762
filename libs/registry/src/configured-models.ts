import type { BreakerState } from '#circuit-breaker';
import { isServingError, ServingError } from '#model';
import { LOGGER } from '#telemetry';
import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { Logger } from 'pino';
import { ModelRegistration, type RegistrationState } from './life-cycle/model-registration.js';
import type { ModelDefinition } from './model-definition.js';
import { ModelRegistry, type PendingRegistration } from './model-registry.js';
import { REGISTRY_OPTIONS, type RegistryModuleOptions } from './registry.options.js';

/** The state of one model that the server was told to serve. */
export interface ConfiguredModelStatus {
  readonly name: string;
  /** `undefined` while only the model knows. */
  readonly version: string | undefined;
  /** Whether the server is not ready without it. */
  readonly required: boolean;
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
    @Inject(LOGGER) private readonly logger: Logger,
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

  /** The state at this moment of each configured model, and of those registered later that are required too. */
  get status(): ConfiguredModelStatus[] {
    const configured = this.#definitions.map((definition) => {
      const registration = this.#current(definition);
      return { ...statusOf(definition, registration), required: definition.required !== false };
    });
    const others = this.registry.registrations
      .filter(({ definition }) => definition.required === true)
      .map((registration) => statusOf(registration.definition, registration))
      .filter((other) => !configured.some((each) => isSame(each, other)));
    return [...configured, ...others];
  }

  async #begin(definition: ModelDefinition, replace: boolean): Promise<void> {
    const { registration, ready } = this.#register(definition, replace);
    this.#registrations.set(definition, registration);
    await ready;
  }

  #register(definition: ModelDefinition, replace: boolean): PendingRegistration {
    try {
      return this.registry.begin(definition, { keepFailure: true, replace });
    } catch (error) {
      // Its label is taken, by an inline model for example.
      this.logger.error({ err: error, model: definition.name }, 'model failed to load');
      const registration = new ModelRegistration(definition);
      registration.fail(
        isServingError(error) ? error : new ServingError('internal', 'it could not be registered'),
      );
      return { registration, ready: Promise.reject(error) };
    }
  }

  /** What serves in the place of a definition now: an operator may have replaced or removed it. */
  #current(definition: ModelDefinition): ModelRegistration | 'removed' | undefined {
    const first = this.#registrations.get(definition);
    if (first === undefined) return undefined;
    const same = this.registry.registrations.filter(
      ({ name, version }) => name === first.name && (first.version ?? version) === version,
    );
    // One that was refused at once has never been among the registrations.
    const own = first.state === 'failed' ? first : 'removed';
    return same.find(({ state }) => state === 'ready') ?? same.at(-1) ?? own;
  }
}

function statusOf(
  definition: ModelDefinition,
  registration: ModelRegistration | 'removed' | undefined,
): ConfiguredModelStatus {
  const { name = 'unnamed', version, required = false } = definition;
  const base = { name, version, required, lanes: 0, breaker: undefined, reason: undefined };
  // Before the server has started up, nothing has been registered.
  if (registration === undefined) return { ...base, state: 'loading' };
  if (registration === 'removed') return { ...base, state: 'removed' };
  const { served, state, reason } = registration;
  return {
    ...base,
    name: registration.name ?? name,
    version: registration.version ?? version,
    state,
    lanes: served?.laneCount ?? 0,
    breaker: served?.breaker.state,
    reason,
  };
}

function isSame(a: ConfiguredModelStatus, b: ConfiguredModelStatus): boolean {
  return a.name === b.name && a.version === b.version;
}
