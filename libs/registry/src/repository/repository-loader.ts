import { CLOCK, type Clock } from '#batching';
import { DEVICE_INVENTORY, type DeviceInventory } from '#gpu-pool';
import { LOGGER } from '#telemetry';
import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import type { Logger } from 'pino';
import { ConfiguredModels } from '../configured-models.js';
import type { ModelDefinition } from '../model-definition.js';
import { ModelRegistry } from '../model-registry.js';
import { REGISTRY_OPTIONS, type RegistryModuleOptions } from '../registry.options.js';
import { ModelRepository, type RepositoryModel } from './model-repository.js';
import { RepositoryWatch } from './repository-watch.js';

/** Serves what lies in a model repository, and follows its changes where that is wanted. */
@Injectable()
export class RepositoryLoader implements OnApplicationBootstrap, OnModuleDestroy {
  readonly #repository: ModelRepository | undefined;
  /** By name and version, what was loaded last. */
  readonly #loaded = new Map<string, Map<string, RepositoryModel>>();
  /** By name, the fingerprints of what was tried last, well or not. */
  readonly #tried = new Map<string, ReadonlySet<string>>();
  /** By name, what could not be served since the last time that all of it could. */
  readonly #failed = new Map<string, readonly ModelDefinition[]>();
  /** Changes of one model follow each other. */
  readonly #changes = new Map<string, Promise<void>>();
  #watch: RepositoryWatch | undefined;

  constructor(
    @Inject(REGISTRY_OPTIONS) private readonly options: RegistryModuleOptions,
    @Inject(ConfiguredModels) private readonly configured: ConfiguredModels,
    @Inject(ModelRegistry) private readonly registry: ModelRegistry,
    @Inject(DEVICE_INVENTORY) inventory: DeviceInventory,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    const { repository } = options;
    if (repository === undefined) return;
    this.#repository = new ModelRepository(repository.path, inventory.devices, (model, warning) => {
      logger.warn({ model }, warning);
    });
  }

  /** Settles when the repository has been read; the models then load beside the server's start. */
  async onApplicationBootstrap(): Promise<void> {
    const { repository } = this.options;
    if (this.#repository === undefined || repository === undefined) return;
    const { path, watch = false } = repository;
    if (watch) {
      this.#watch = new RepositoryWatch(
        path,
        this.clock,
        (model) => this.#changed(model),
        (err) => this.logger.error({ err }, 'the model repository cannot be watched'),
      );
      await this.#watch.ready();
    }
    for (const name of await this.#repository.names()) {
      const found = await this.#repository.read(name);
      this.#changes.set(name, this.#apply(name, found));
    }
  }

  onModuleDestroy(): Promise<void> | undefined {
    return this.#watch?.close();
  }

  #changed(name: string): void {
    const before = this.#changes.get(name) ?? Promise.resolve();
    const change = before
      .then(() => this.#find(name))
      .then((found) => this.#apply(name, found))
      .catch((err: unknown) =>
        this.logger.error({ err, model: name }, 'the model repository cannot be read'),
      );
    this.#changes.set(name, change);
  }

  async #find(name: string): Promise<readonly RepositoryModel[]> {
    const repository = this.#repository!;
    const found = await repository.read(name);
    // Looked at last: a folder may be taken away while it is read.
    return (await repository.names()).includes(name) ? found : [];
  }

  /**
   * Loads what is new or has changed. What serves goes on until all of that is ready; where some of it fails, as files do
   * that are half written, it goes on as well.
   */
  async #apply(name: string, found: readonly RepositoryModel[]): Promise<void> {
    const loaded = this.#loaded.get(name) ?? new Map<string, RepositoryModel>();
    this.#loaded.set(name, loaded);
    const tried = this.#tried.get(name);
    this.#tried.set(name, new Set(found.map(({ fingerprint }) => fingerprint)));
    const changed = found.filter(({ fingerprint }) => tried?.has(fingerprint) !== true);
    await Promise.all(changed.map((model) => this.#load(model, loaded)));
    if (!found.every((model) => loaded.get(model.version)?.fingerprint === model.fingerprint)) return;
    this.#forgetFailures(name);
    const isGone = ({ version }: RepositoryModel) => !found.some((model) => model.version === version);
    await Promise.all([...loaded.values()].filter(isGone).map((model) => this.#remove(model, loaded)));
  }

  async #load(model: RepositoryModel, loaded: Map<string, RepositoryModel>): Promise<void> {
    const { name, version, definition } = model;
    const old = loaded.get(version);
    try {
      await this.configured.load(definition);
      if (old !== undefined) this.configured.forget(old.definition);
      loaded.set(version, model);
    } catch {
      // The registry has logged why. A server that can serve what it served is still well.
      if (loaded.size > 0) this.configured.forget(definition);
      this.#failed.set(name, [...(this.#failed.get(name) ?? []), definition]);
    }
  }

  #forgetFailures(name: string): void {
    for (const definition of this.#failed.get(name) ?? []) {
      this.configured.forget(definition);
      this.registry.forgetFailure(definition);
    }
    this.#failed.delete(name);
  }

  async #remove(
    { name, version, definition }: RepositoryModel,
    loaded: Map<string, RepositoryModel>,
  ): Promise<void> {
    loaded.delete(version);
    this.configured.forget(definition);
    // An operator may have removed it already.
    await this.registry.remove(name, version).catch(() => undefined);
  }
}
