import { isServingError, ServingError } from '#model';
import { LOGGER } from '#telemetry';
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { RegistryEvents } from '../events/registry-events.js';
import { RememberedModels } from '../persistence/remembered-models.js';
import {
  DEFAULT_DRAIN_TIMEOUT_MS,
  REGISTRY_OPTIONS,
  type RegistryModuleOptions,
} from '../registry.options.js';
import { ModelVersionFactory } from '../version/model-version-factory.js';
import type { ModelVersion } from '../version/model-version.js';
import type { ModelRegistration } from './model-registration.js';
import type { Hold } from './name-queues.js';
import { removed } from './refusals.js';
import { Registrations } from './registrations.js';
import { ServedVersions } from './served-versions.js';

/** How a model is to be registered. */
export interface RegisterOptions {
  /** Take the place of a version with the same label, which serves until this one is ready. Default: refuse. */
  readonly replace?: boolean;
  /** Keep a registration that fails, so that its reason can be looked up. Default: nothing of it is left. */
  readonly keepFailure?: boolean;
  /** What a restart is to register the model by again. Default: a restart does not. */
  readonly remember?: Readonly<Record<string, unknown>>;
}

/** The steps of a model version's life, each of which leaves everything in order. The registry says when. */
@Injectable()
export class VersionLifeCycle {
  readonly #drainTimeoutMs: number;
  #closed: ServingError | undefined;

  constructor(
    @Inject(ModelVersionFactory) private readonly factory: ModelVersionFactory,
    @Inject(Registrations) private readonly registrations: Registrations,
    @Inject(ServedVersions) private readonly served: ServedVersions,
    @Inject(RememberedModels) private readonly remembered: RememberedModels,
    @Inject(RegistryEvents) private readonly events: RegistryEvents,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(REGISTRY_OPTIONS) { drainTimeoutMs = DEFAULT_DRAIN_TIMEOUT_MS }: RegistryModuleOptions,
  ) {
    this.#drainTimeoutMs = drainTimeoutMs;
  }

  /**
   * Throws while a registration must not go on: at the end of the server, when it has been given up, or when its
   * label is known and taken.
   *
   * @throws {ServingError} `draining`, `model_removed`, `model_exists`
   */
  assertMayServe(registration: ModelRegistration, { replace = false }: RegisterOptions): void {
    if (this.#closed !== undefined) throw this.#closed;
    const { name, version, cancelled } = registration;
    if (cancelled.aborted) throw cancelled.reason;
    if (replace) return;
    // Where the version is left to the model only a load would tell, and the twin's load has told.
    if (registration.twin?.state === 'ready') throw exists(registration.twin.served!);
    if (name === undefined || version === undefined) return;
    this.#assertFree(name, version);
  }

  /** Loads a registration's model. Nothing is left running when that fails. */
  load(registration: ModelRegistration, options: RegisterOptions): Promise<ModelVersion> {
    this.assertMayServe(registration, options);
    return this.factory.create(registration.definition, registration.cancelled);
  }

  /**
   * Makes a loaded version take requests, and lets the one whose place it takes finish.
   *
   * @throws {ServingError} as {@link assertMayServe}, and `state_not_saved`; the version is ended then
   */
  async serve(
    registration: ModelRegistration,
    version: ModelVersion,
    options: RegisterOptions,
    hold: Hold,
  ): Promise<void> {
    const { name, version: label } = version;
    const { replace = false, remember } = options;
    try {
      if (!replace) this.#assertFree(name, label);
      await this.remembered.keep(name, label, remember);
      this.assertMayServe(registration, { replace: true });
    } catch (error) {
      hold(version.retire(0, removed(version)));
      throw error;
    }
    const old = this.registrations.occupying(name, label);
    registration.becomeReady(version);
    version.open();
    this.served.put(version);
    this.registrations.forgetFailures(name, label);
    this.registrations.announce(registration);
    if (old !== undefined) {
      if (old.state === 'ready') this.events.emit({ type: 'draining', name, version: label });
      old.served!.supersede(version);
      hold(this.#free(old, this.#drainTimeoutMs));
    }
    this.logger.info({ model: name, version: label, workers: version.options.workers }, 'model ready');
    this.events.emit({ type: 'ready', name, version: label, replaced: old !== undefined });
  }

  /** Notes that a registration has come to nothing. */
  fail(registration: ModelRegistration, error: unknown, { keepFailure = false }: RegisterOptions): void {
    const failure = isServingError(error)
      ? error
      : new ServingError('internal', 'the server failed to load the model', { cause: error });
    registration.fail(failure);
    this.registrations.delete(registration);
    if (keepFailure && !registration.cancelled.aborted && failure.code !== 'model_exists') {
      this.registrations.addFailure(registration);
    }
    // Whoever asked for it hears of that, and nothing is wrong with the model.
    if (failure.code !== 'model_exists') {
      this.logger.error({ err: error, model: registration.name }, 'model failed to load');
    }
    this.events.emit({ type: 'failed', ...registration.labels, reason: failure.message });
  }

  /** Makes a version refuse new requests. What was admitted goes on. */
  close(version: ModelVersion): void {
    if (version.state === 'draining') return;
    this.served.delete(version);
    version.close(removed(version));
    this.events.emit({ type: 'draining', name: version.name, version: version.version });
  }

  /** @returns how many admitted requests could not be answered in time, and were refused */
  drain(version: ModelVersion, limitMs = this.#drainTimeoutMs): Promise<number> {
    this.close(version);
    return version.drain(limitMs, removed(version));
  }

  /**
   * Ends a registration, whatever its state, and frees what it has.
   *
   * @returns as for {@link drain}
   * @throws {ServingError} `state_not_saved`; it goes on then as if nothing had been asked
   */
  async retire(registration: ModelRegistration, limitMs = this.#drainTimeoutMs): Promise<number> {
    const { name, version, served } = registration;
    if (name !== undefined && version !== undefined) await this.remembered.forget(name, version);
    if (served === undefined) {
      this.registrations.delete(registration);
      return 0;
    }
    this.close(served);
    const refused = await this.#free(registration, limitMs);
    this.logger.info({ model: name, version, refused }, 'model removed');
    this.events.emit({ type: 'removed', name: served.name, version: served.version, refused });
    return refused;
  }

  /** Refuses new requests and registrations with `reason` from now on. */
  closeAll(reason: ServingError): void {
    this.#closed = reason;
    for (const version of this.served.all) version.close(reason);
    for (const each of this.registrations.all) if (each.state === 'loading') each.cancel(reason);
  }

  /** Answers what was admitted, within `limitMs` milliseconds, then ends all workers. */
  async retireAll(limitMs: number): Promise<void> {
    const reason = new ServingError('draining', 'the server was stopped before this request could run');
    const served = this.registrations.all.flatMap((each) => each.served ?? []);
    await Promise.all(served.map((version) => version.retire(limitMs, reason)));
    // The process must not end while a worker is inside native code, and loading a model is that too.
    await this.factory.stopWorkers();
  }

  async #free(registration: ModelRegistration, limitMs: number): Promise<number> {
    const served = registration.served!;
    const refused = await served.retire(limitMs, removed(served));
    this.registrations.delete(registration);
    return refused;
  }

  #assertFree(name: string, version: string): void {
    if (this.registrations.occupying(name, version) !== undefined) throw exists({ name, version });
  }
}

function exists({ name, version }: { readonly name: string; readonly version: string }): ServingError {
  return new ServingError('model_exists', `model '${name}' has a version '${version}' already`);
}
