import { LOGGER } from '#telemetry';
import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { Logger } from 'pino';
import { RegistryEvents } from '../events/registry-events.js';
import { ModelRegistry } from '../model-registry.js';
import { StoredState } from '../persistence/stored-state.js';
import { REGISTRY_OPTIONS, type RegistryModuleOptions } from '../registry.options.js';
import { readTraffic, toRestTraffic } from './traffic-reader.js';
import { TrafficTable } from './traffic-table.js';
import type { Traffic } from './traffic.js';

/**
 * Changes traffic rules at run time. They end with the last version of their model. What is configured goes before what
 * was set before a restart.
 */
@Injectable()
export class TrafficRules implements OnApplicationBootstrap {
  constructor(
    @Inject(ModelRegistry) private readonly registry: ModelRegistry,
    @Inject(TrafficTable) private readonly table: TrafficTable,
    @Inject(RegistryEvents) private readonly events: RegistryEvents,
    @Inject(StoredState) private readonly state: StoredState,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(REGISTRY_OPTIONS) private readonly options: RegistryModuleOptions,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    this.events.subscribe((event) =>
      event.type === 'removed' ? this.#noteRemoval(event.name, event.version) : undefined,
    );
    const { traffic: configured = {} } = this.options;
    for (const [name, traffic] of Object.entries(configured)) this.table.set(name, traffic);
    for (const [name, rest] of Object.entries(this.state.current.traffic ?? {})) {
      if (Object.hasOwn(configured, name)) await this.#drop(name);
      else this.#restore(name, rest);
    }
  }

  /**
   * The rules of a model, if it has some.
   *
   * @throws {ServingError} `model_not_found`
   */
  get(name: string): Traffic | undefined {
    this.registry.registered(name);
    return this.table.get(name);
  }

  /** The part of the requests that each version gets as things stand; by version label, 1 in all. */
  shares(name: string): Record<string, number> {
    const versions = this.registry.registrationsOf(name).flatMap(({ served }) => served ?? []);
    return this.table.shares(
      name,
      versions.filter(({ state }) => state === 'ready'),
      (version) => this.registry.isLoading(name, version),
    );
  }

  /**
   * Puts rules in the place of those that a model has. Requests that arrive from now on follow them.
   *
   * @param rest as REST takes them
   * @throws {ServingError} `model_not_found`, `invalid_options`, `state_not_saved`; the old rules hold then
   */
  async set(name: string, rest: unknown): Promise<void> {
    this.registry.registered(name);
    const isServed = (version: string) => this.registry.find(name, version) !== undefined;
    await this.#keep(name, readTraffic(rest, isServed));
  }

  /**
   * Takes the rules of a model away: the latest version gets its requests again.
   *
   * @throws {ServingError} `model_not_found`, `state_not_saved`
   */
  async clear(name: string): Promise<void> {
    this.registry.registered(name);
    await this.#keep(name, undefined);
  }

  async #keep(name: string, traffic: Traffic | undefined): Promise<void> {
    await this.#save(name, traffic);
    this.table.set(name, traffic);
  }

  #save(name: string, traffic: Traffic | undefined): Promise<void> {
    return this.state.change((state) => {
      const { [name]: _, ...others } = state.traffic ?? {};
      return {
        ...state,
        traffic: traffic === undefined ? others : { ...others, [name]: toRestTraffic(traffic) },
      };
    });
  }

  async #drop(name: string): Promise<void> {
    this.logger.warn({ model: name }, 'its traffic is configured: the rules set at run time are dropped');
    await this.#save(name, undefined).catch(() => undefined);
  }

  /** Its versions may only be loading yet: what they must be now is asked when rules are set. */
  #restore(name: string, rest: unknown): void {
    try {
      this.table.set(
        name,
        readTraffic(rest, () => true),
      );
    } catch (error) {
      this.logger.error({ err: error, model: name }, 'saved traffic rules cannot be read, and are left out');
    }
  }

  async #noteRemoval(name: string, version: string): Promise<void> {
    const rules = this.table.get(name);
    if (rules === undefined) return;
    if (this.registry.registrationsOf(name).length === 0) {
      await this.#keep(name, undefined);
      return;
    }
    const isNamed =
      rules.pinned === version || version in (rules.weights ?? {}) || rules.shadow?.version === version;
    if (!isNamed) return;
    this.logger.warn(
      { model: name, version, shares: this.shares(name) },
      'traffic rules name a version that is gone: the others share its part',
    );
  }
}
