import { ServingError, type ModelDirectory } from '#model';
import { LOGGER } from '#telemetry';
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import type { ModelDefinition } from './model-definition.js';
import { ModelRegistration } from './model-registration.js';
import { compareVersions } from './natural-order.js';
import { ModelVersionFactory } from './version/model-version-factory.js';
import type { ModelVersion } from './version/model-version.js';

/** The models that are served, by name and version. */
@Injectable()
export class ModelRegistry implements ModelDirectory {
  readonly #registrations = new Set<ModelRegistration>();
  /** Ready versions by name, highest version first: what a request without a version gets is the first. */
  readonly #served = new Map<string, ModelVersion[]>();
  #closed: ServingError | undefined;

  constructor(
    @Inject(ModelVersionFactory) private readonly factory: ModelVersionFactory,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Every registration, whatever its state. */
  get registrations(): readonly ModelRegistration[] {
    return [...this.#registrations];
  }

  /** Every version that serves. */
  get versions(): readonly ModelVersion[] {
    return [...this.#served.values()].flat();
  }

  /**
   * Loads a model and serves it. Settles when it is ready.
   *
   * @throws {ServingError} `model_exists`, `model_not_loadable`, `invalid_options`
   */
  async register(definition: ModelDefinition): Promise<ModelVersion> {
    if (this.#closed !== undefined) throw this.#closed;
    const registration = new ModelRegistration(definition);
    this.#registrations.add(registration);
    try {
      const version = await this.factory.create(definition);
      await this.#serve(version);
      registration.becomeReady(version);
      this.logger.info(
        { model: version.name, version: version.version, workers: version.options.workers },
        'model ready',
      );
      return version;
    } catch (error) {
      registration.fail(error instanceof Error ? error.message : String(error));
      this.logger.error({ err: error, model: registration.name }, 'model failed to load');
      throw error;
    }
  }

  resolve(name: string, version?: string): ModelVersion {
    const versions = this.#served.get(name);
    if (versions === undefined) throw this.#notServed(name);
    if (version === undefined) return versions[0]!;
    const found = versions.find((candidate) => candidate.version === version);
    if (found !== undefined) return found;
    throw new ServingError('version_not_found', `model '${name}' has no version '${version}'`);
  }

  /** Like {@link resolve}, but `undefined` where that throws. */
  find(name: string, version?: string): ModelVersion | undefined {
    const versions = this.#served.get(name);
    return version === undefined
      ? versions?.[0]
      : versions?.find((candidate) => candidate.version === version);
  }

  /** Refuses new requests and registrations from now on. */
  close(): void {
    this.#closed = new ServingError('draining', 'the server is stopping', { retryAfterSeconds: 1 });
    for (const version of this.versions) version.close(this.#closed);
  }

  /**
   * Answers what was admitted, then ends all workers.
   *
   * @param limitMs time for the answers, in milliseconds
   */
  async retire(limitMs: number): Promise<void> {
    await Promise.all(this.versions.map((version) => version.retire(limitMs)));
    // The process must not end while a worker is inside native code, and loading a model is that too.
    await this.factory.stopWorkers();
  }

  async #serve(version: ModelVersion): Promise<void> {
    const versions = this.#served.get(version.name) ?? [];
    const exists = versions.some((candidate) => candidate.version === version.version);
    if (exists || this.#closed !== undefined) {
      await version.retire(0);
      const { name } = version;
      throw this.#closed ?? new ServingError('model_exists', `${name} ${version.version} is served already`);
    }
    const sorted = [...versions, version].sort((a, b) => compareVersions(b.version, a.version));
    this.#served.set(version.name, sorted);
  }

  #notServed(name: string): ServingError {
    const registration = this.registrations.find((candidate) => candidate.name === name);
    if (registration === undefined) return new ServingError('model_not_found', `there is no model '${name}'`);
    const message = `model '${name}' is ${registration.state}`;
    return new ServingError('model_not_ready', message, { retryAfterSeconds: 1 });
  }
}
