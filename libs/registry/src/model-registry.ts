import { ServingError, type ModelDirectory, type RoutingRequest } from '#model';
import { Inject, Injectable } from '@nestjs/common';
import { RegistryEvents } from './events/registry-events.js';
import { ModelRegistration } from './life-cycle/model-registration.js';
import { NameQueues } from './life-cycle/name-queues.js';
import { notRegistered, notServed, removedWhileLoading, stillLoading } from './life-cycle/refusals.js';
import { Registrations } from './life-cycle/registrations.js';
import { ServedVersions } from './life-cycle/served-versions.js';
import { VersionLifeCycle, type RegisterOptions } from './life-cycle/version-life-cycle.js';
import { VersionUpdate } from './life-cycle/version-update.js';
import type { ModelDefinition } from './model-definition.js';
import type { ModelOptionChanges } from './options/model-option-changes.js';
import { TrafficTable } from './traffic/traffic-table.js';
import type { ModelVersion } from './version/model-version.js';

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
  readonly #queues = new NameQueues();

  constructor(
    @Inject(RegistryEvents) readonly events: RegistryEvents,
    @Inject(Registrations) private readonly all: Registrations,
    @Inject(ServedVersions) private readonly served: ServedVersions,
    @Inject(TrafficTable) private readonly traffic: TrafficTable,
    @Inject(VersionLifeCycle) private readonly lifeCycle: VersionLifeCycle,
    @Inject(VersionUpdate) private readonly versionUpdate: VersionUpdate,
  ) {}

  /** Every registration, whatever its state. */
  get registrations(): readonly ModelRegistration[] {
    return this.all.all;
  }

  /** The registrations of a name, the highest version first. */
  registrationsOf(name: string): readonly ModelRegistration[] {
    return this.all.find(name);
  }

  /**
   * A registration, whatever its state; of several with one label, the one that serves.
   *
   * @throws {ServingError} `model_not_found`, `version_not_found`
   */
  registered(name: string, version?: string): ModelRegistration {
    const [found] = this.all.find(name, version);
    if (found === undefined) throw notRegistered(this.all, name, version);
    return found;
  }

  /** Every version that serves. */
  get versions(): readonly ModelVersion[] {
    return this.served.all;
  }

  /**
   * Loads a model and serves it. Settles when it is ready.
   *
   * @throws {ServingError} `model_exists`, `model_not_loadable`, `invalid_options`, `state_not_saved`; nothing is left
   *   of it then, and what it should have replaced goes on serving
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
    const registration = new ModelRegistration(definition);
    const queue = registration.name ?? unnamed(definition);
    if (!this.#queues.isBusy(queue)) this.lifeCycle.assertMayServe(registration, options);
    this.all.add(registration);
    this.events.emit({ type: 'registered', ...registration.labels });
    return { registration, ready: this.#load(queue, registration, options) };
  }

  /**
   * Ends a version: new requests are refused at once, admitted ones answered, then everything is freed. Also gives
   * up one that is loading, and forgets one that has failed.
   *
   * @param version left out for every version of the name
   * @returns how many admitted requests could not be answered in time, and were refused
   * @throws {ServingError} `model_not_found`, `version_not_found`, `state_not_saved`
   */
  async remove(name: string, version?: string, { limitMs }: DrainOptions = {}): Promise<number> {
    const loading = this.all.find(name, version).filter(({ state }) => state === 'loading');
    for (const each of loading) each.cancel(removedWhileLoading());
    return this.#queues.run(name, async () => {
      // What is loading now was asked for later.
      const found = this.all.find(name, version).filter(({ state }) => state !== 'loading');
      if (found.length === 0 && loading.length === 0) throw notRegistered(this.all, name, version);
      const refused = await Promise.all(found.map((each) => this.lifeCycle.retire(each, limitMs)));
      return refused.reduce((sum, each) => sum + each, 0);
    });
  }

  /**
   * Takes a version out of service without freeing it: new requests are refused at once, admitted ones answered.
   *
   * @returns as for {@link remove}
   * @throws {ServingError} `model_not_found`, `version_not_found`, `model_not_ready`
   */
  drain(name: string, version: string, { limitMs }: DrainOptions = {}): Promise<number> {
    return this.#queues.run(name, async () => this.lifeCycle.drain(this.resolve(name, version), limitMs));
  }

  /**
   * Changes options of a version while it serves: all of them, or none.
   *
   * @param changes `null` brings back what the model's author says, or the default
   * @throws {ServingError} `invalid_options` naming each option that is wrong or cannot change while it serves;
   *   `model_not_found`, `version_not_found`, `model_not_ready`, `state_not_saved`
   */
  update(name: string, version: string, changes: ModelOptionChanges): Promise<ModelVersion> {
    return this.#queues.run(name, async () => {
      const served = this.resolve(name, version);
      await this.versionUpdate.apply(this.all.occupying(name, version)!, changes);
      return served;
    });
  }

  /**
   * Closes the circuit breaker of a version, whatever happened.
   *
   * @throws {ServingError} `model_not_found`, `version_not_found`, `model_not_ready`
   */
  resetBreaker(name: string, version: string): void {
    this.resolve(name, version).resetBreaker();
  }

  resolve(name: string, version?: string, request?: RoutingRequest): ModelVersion {
    const found = this.find(name, version, request);
    if (found !== undefined) return found;
    if (version === undefined && this.latest(name) !== undefined) throw stillLoading(name);
    throw notServed(this.all, name, version);
  }

  /** Like {@link resolve}, but `undefined` where that throws. */
  find(name: string, version?: string, request?: RoutingRequest): ModelVersion | undefined {
    if (version !== undefined) return this.served.find(name, version);
    const versions = this.served.of(name);
    if (versions === undefined) return undefined;
    return this.traffic.choose(name, versions, (label) => this.isLoading(name, label), request);
  }

  /** Whether a version is on its way to serve. */
  isLoading(name: string, version: string): boolean {
    return this.all.find(name, version).some(({ state }) => state === 'loading');
  }

  /** The highest version that takes requests, whatever traffic rules say. */
  latest(name: string): ModelVersion | undefined {
    return this.served.find(name);
  }

  /** Forgets what was kept of a definition that could not be served. */
  forgetFailure(definition: ModelDefinition): void {
    const failed = this.registrations.find(
      (each) => each.definition === definition && each.state === 'failed',
    );
    if (failed !== undefined) this.all.delete(failed);
  }

  /** Refuses new requests and registrations from now on. */
  close(): void {
    this.lifeCycle.closeAll(new ServingError('draining', 'the server is stopping', { retryAfterSeconds: 1 }));
  }

  /**
   * Answers what was admitted, then ends all workers.
   *
   * @param limitMs time for the answers, in milliseconds
   */
  retire(limitMs: number): Promise<void> {
    return this.lifeCycle.retireAll(limitMs);
  }

  #load(queue: string, registration: ModelRegistration, options: RegisterOptions): Promise<ModelVersion> {
    return this.#queues.run(queue, async (hold) => {
      try {
        const version = await this.lifeCycle.load(registration, options);
        if (registration.name !== undefined) await this.lifeCycle.serve(registration, version, options, hold);
        else {
          // Only now is it known which name it is: there it has to wait for its turn.
          await this.#queues.run(version.name, (holdName) =>
            this.lifeCycle.serve(registration, version, options, holdName),
          );
        }
        return version;
      } catch (error) {
        this.lifeCycle.fail(registration, error, options);
        throw error;
      }
    });
  }
}

/** Where a model waits whose name only its handler knows. No name of a model has a colon. */
function unnamed(definition: ModelDefinition): string {
  return `unnamed:${'source' in definition ? definition.source.specifier : ''}`;
}
