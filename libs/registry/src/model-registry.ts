import { isServingError, ServingError, type ModelDirectory } from '#model';
import { LOGGER } from '#telemetry';
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { RegistryEvents } from './events/registry-events.js';
import { ModelRegistration } from './life-cycle/model-registration.js';
import { NameQueues, type Hold } from './life-cycle/name-queues.js';
import { Registrations } from './life-cycle/registrations.js';
import { notRegistered, notServed, removed, removedWhileLoading } from './life-cycle/refusals.js';
import { ServedVersions } from './life-cycle/served-versions.js';
import type { ModelDefinition } from './model-definition.js';
import {
  DEFAULT_DRAIN_TIMEOUT_MS,
  REGISTRY_OPTIONS,
  type RegistryModuleOptions,
} from './registry.options.js';
import { ModelVersionFactory } from './version/model-version-factory.js';
import type { ModelVersion } from './version/model-version.js';

/** How a model is to be registered. */
export interface RegisterOptions {
  /** Take the place of a version with the same label, which serves until this one is ready. Default: refuse. */
  readonly replace?: boolean;
  /** Keep a registration that fails, so that its reason can be looked up. Default: nothing of it is left. */
  readonly keepFailure?: boolean;
}

/** A registration that has begun. */
export interface PendingRegistration {
  readonly registration: ModelRegistration;
  /** Settles when the model serves, or rejects as {@link ModelRegistry.register} does. Must be handled. */
  readonly ready: Promise<ModelVersion>;
}

/** How long a removal waits. */
export interface DrainOptions {
  /** Time that admitted requests have to be answered, in milliseconds. Default: as at shutdown. */
  readonly limitMs?: number;
}

/**
 * The models that are served, by name and version.
 *
 * Operations on one name run one after the other; names never wait for each other. While a version is replaced or
 * removed no admitted request is lost: what was queued is answered where it was queued, within the time that draining
 * may take.
 */
@Injectable()
export class ModelRegistry implements ModelDirectory {
  readonly #registrations = new Registrations();
  readonly #served = new ServedVersions();
  readonly #queues = new NameQueues();
  readonly #drainTimeoutMs: number;
  #closed: ServingError | undefined;

  constructor(
    @Inject(ModelVersionFactory) private readonly factory: ModelVersionFactory,
    @Inject(RegistryEvents) readonly events: RegistryEvents,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(REGISTRY_OPTIONS) { drainTimeoutMs = DEFAULT_DRAIN_TIMEOUT_MS }: RegistryModuleOptions,
  ) {
    this.#drainTimeoutMs = drainTimeoutMs;
  }

  /** Every registration, whatever its state. */
  get registrations(): readonly ModelRegistration[] {
    return this.#registrations.all;
  }

  /** The registrations of a name, the highest version first. */
  registrationsOf(name: string): readonly ModelRegistration[] {
    return this.#registrations.find(name);
  }

  /**
   * A registration, whatever its state; of several with one label, the one that serves.
   *
   * @throws {ServingError} `model_not_found`, `version_not_found`
   */
  registered(name: string, version?: string): ModelRegistration {
    const [found] = this.#registrations.find(name, version);
    if (found === undefined) throw notRegistered(this.#registrations, name, version);
    return found;
  }

  /** Every version that serves. */
  get versions(): readonly ModelVersion[] {
    return this.#served.all;
  }

  /**
   * Loads a model and serves it. Settles when it is ready.
   *
   * @throws {ServingError} `model_exists`, `model_not_loadable`, `invalid_options`; nothing is left of it then, and
   *   what it should have replaced goes on serving
   */
  async register(definition: ModelDefinition, options: RegisterOptions = {}): Promise<ModelVersion> {
    return this.begin(definition, options).ready;
  }

  /**
   * Like {@link register}, for callers that want to see the registration while it loads.
   *
   * @throws {ServingError} `model_exists` when that is known already
   */
  begin(definition: ModelDefinition, options: RegisterOptions = {}): PendingRegistration {
    if (this.#closed !== undefined) throw this.#closed;
    const registration = new ModelRegistration(definition);
    const queue = registration.name ?? unnamed(definition);
    if (!this.#queues.isBusy(queue)) this.#assertMayServe(registration, options);
    this.#registrations.add(registration);
    this.events.emit({ type: 'registered', ...labelsOf(registration) });
    const ready = this.#queues.run(queue, (hold) => this.#load(registration, options, hold));
    return { registration, ready };
  }

  /**
   * Ends a version: new requests are refused at once, admitted ones answered, then everything is freed. Also gives
   * up one that is loading, and forgets one that has failed.
   *
   * @param version left out for every version of the name
   * @returns how many admitted requests could not be answered in time, and were refused
   * @throws {ServingError} `model_not_found`, `version_not_found`
   */
  async remove(name: string, version?: string, { limitMs }: DrainOptions = {}): Promise<number> {
    const loading = this.#registrations.find(name, version).filter(({ state }) => state === 'loading');
    for (const each of loading) each.cancel(removedWhileLoading());
    return this.#queues.run(name, async () => {
      // What is loading now was asked for later.
      const found = this.#registrations.find(name, version).filter(({ state }) => state !== 'loading');
      if (found.length === 0 && loading.length === 0) throw notRegistered(this.#registrations, name, version);
      const refused = await Promise.all(found.map((each) => this.#retire(each, limitMs)));
      return refused.reduce((sum, each) => sum + each, 0);
    });
  }

  /**
   * Takes a version out of service without freeing it: new requests are refused at once, admitted ones answered.
   *
   * @returns as for {@link remove}
   * @throws {ServingError} `model_not_found`, `version_not_found`, `model_not_ready`
   */
  drain(
    name: string,
    version: string,
    { limitMs = this.#drainTimeoutMs }: DrainOptions = {},
  ): Promise<number> {
    return this.#queues.run(name, async () => {
      const served = this.resolve(name, version);
      this.#close(served);
      return served.drain(limitMs, removed(served));
    });
  }

  resolve(name: string, version?: string): ModelVersion {
    const found = this.#served.find(name, version);
    if (found !== undefined) return found;
    throw notServed(this.#registrations, name, version);
  }

  /** Like {@link resolve}, but `undefined` where that throws. */
  find(name: string, version?: string): ModelVersion | undefined {
    return this.#served.find(name, version);
  }

  /** Refuses new requests and registrations from now on. */
  close(): void {
    const reason = new ServingError('draining', 'the server is stopping', { retryAfterSeconds: 1 });
    this.#closed = reason;
    for (const version of this.versions) version.close(reason);
    for (const each of this.registrations) if (each.state === 'loading') each.cancel(reason);
  }

  /**
   * Answers what was admitted, then ends all workers.
   *
   * @param limitMs time for the answers, in milliseconds
   */
  async retire(limitMs: number): Promise<void> {
    const reason = new ServingError('draining', 'the server was stopped before this request could run');
    const served = this.registrations.flatMap((each) => each.served ?? []);
    await Promise.all(served.map((version) => version.retire(limitMs, reason)));
    // The process must not end while a worker is inside native code, and loading a model is that too.
    await this.factory.stopWorkers();
  }

  async #load(registration: ModelRegistration, options: RegisterOptions, hold: Hold): Promise<ModelVersion> {
    try {
      this.#assertMayServe(registration, options);
      const version = await this.factory.create(registration.definition, registration.cancelled);
      // A model may have had to be loaded before its name was known.
      if (registration.name !== undefined) this.#serve(registration, version, options, hold);
      else {
        await this.#queues.run(version.name, async (holdName) =>
          this.#serve(registration, version, options, holdName),
        );
      }
      return version;
    } catch (error) {
      this.#fail(registration, error, options);
      throw error;
    }
  }

  #serve(
    registration: ModelRegistration,
    version: ModelVersion,
    { replace = false }: RegisterOptions,
    hold: Hold,
  ): void {
    const { name, version: label } = version;
    const old = this.#registrations.occupying(name, label);
    const refusal = this.#refusal(registration, replace ? undefined : old);
    if (refusal !== undefined) {
      hold(version.retire(0, refusal));
      throw refusal;
    }
    registration.becomeReady(version);
    version.open();
    this.#served.put(version);
    this.#registrations.forgetFailures(name, label);
    if (old !== undefined) {
      if (old.state === 'ready') this.events.emit({ type: 'draining', name, version: label });
      old.served!.supersede(version);
      hold(this.#free(old, this.#drainTimeoutMs));
    }
    this.logger.info({ model: name, version: label, workers: version.options.workers }, 'model ready');
    this.events.emit({ type: 'ready', name, version: label, replaced: old !== undefined });
  }

  #fail(registration: ModelRegistration, error: unknown, { keepFailure = false }: RegisterOptions): void {
    const failure = isServingError(error)
      ? error
      : new ServingError('internal', 'the server failed to load the model', { cause: error });
    registration.fail(failure);
    this.#registrations.delete(registration);
    if (keepFailure && !registration.cancelled.aborted) this.#registrations.addFailure(registration);
    this.logger.error({ err: error, model: registration.name }, 'model failed to load');
    this.events.emit({ type: 'failed', ...labelsOf(registration), reason: failure.message });
  }

  async #retire(registration: ModelRegistration, limitMs = this.#drainTimeoutMs): Promise<number> {
    const { served } = registration;
    if (served === undefined) {
      this.#registrations.delete(registration);
      return 0;
    }
    this.#close(served);
    const refused = await this.#free(registration, limitMs);
    const { name, version } = served;
    this.logger.info({ model: name, version, refused }, 'model removed');
    this.events.emit({ type: 'removed', name, version, refused });
    return refused;
  }

  #close(version: ModelVersion): void {
    if (version.state === 'draining') return;
    this.#served.delete(version);
    version.close(removed(version));
    this.events.emit({ type: 'draining', name: version.name, version: version.version });
  }

  async #free(registration: ModelRegistration, limitMs: number): Promise<number> {
    const served = registration.served!;
    const refused = await served.retire(limitMs, removed(served));
    this.#registrations.delete(registration);
    return refused;
  }

  #assertMayServe(registration: ModelRegistration, { replace = false }: RegisterOptions): void {
    const { name, version } = registration;
    const isKnown = name !== undefined && version !== undefined && !replace;
    const refusal = this.#refusal(
      registration,
      isKnown ? this.#registrations.occupying(name, version) : undefined,
    );
    if (refusal !== undefined) throw refusal;
  }

  /** Why a registration must not go on, if it must not. */
  #refusal(
    registration: ModelRegistration,
    existing: ModelRegistration | undefined,
  ): ServingError | undefined {
    if (this.#closed !== undefined) return this.#closed;
    if (registration.cancelled.aborted) return registration.cancelled.reason as ServingError;
    if (existing === undefined) return undefined;
    const { name, version } = existing;
    return new ServingError('model_exists', `model '${name}' has a version '${version}' already`);
  }
}

function labelsOf({ name, version }: ModelRegistration): { name?: string; version?: string } {
  return { ...(name === undefined ? {} : { name }), ...(version === undefined ? {} : { version }) };
}

/** Where a model waits whose name only its handler knows. No name of a model has a colon. */
function unnamed(definition: ModelDefinition): string {
  return `unnamed:${'source' in definition ? definition.source.specifier : ''}`;
}
