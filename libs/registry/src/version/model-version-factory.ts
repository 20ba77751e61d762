import {
  CLOCK,
  DEVICE_ARBITER,
  DynamicBatcher,
  InlineLane,
  WINDOW_POLICIES,
  type Clock,
  type DeviceArbiter,
  type WindowPolicies,
  type WindowPolicy,
} from '#batching';
import { ModelBreaker } from '#circuit-breaker';
import { InputValidator } from '#codec';
import {
  describeHandler,
  DEVICE_INVENTORY,
  WORKER_TRANSPORT,
  WorkerPool,
  type DeviceInventory,
  type Manifest,
  type WorkerTransportFactory,
} from '#gpu-pool';
import { DEFAULT_MODEL_OPTIONS, ServingError, streamingModeOf, type ModelOptions, MEASURES } from '#model';
import { InferenceMetrics, LOGGER, type ModelMetrics } from '#telemetry';
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import type { InlineModelDefinition, ModelDefinition, WorkerModelDefinition } from '../model-definition.js';
import { effectiveOptions } from '../options/model-options-reader.js';
import { optionWarnings } from '../options/option-warnings.js';
import { breakerOptions } from './breaker-options.js';
import type { ModelVersionParts } from './model-version-parts.js';
import { ModelVersion } from './model-version.js';
import { signatureFor } from './signature.js';
import { unlessCancelled } from './unless-cancelled.js';
import { checkName, checkVersion } from './version-name.js';
import { VersionObserver } from './version-observer.js';

interface Assembly {
  readonly name: string;
  readonly version: string;
  readonly options: ModelOptions;
  readonly manifest: Manifest;
  readonly batcher: DynamicBatcher<unknown, unknown>;
  readonly metrics: ModelMetrics;
  readonly breaker: ModelBreaker;
}

/** What can be done with the workers of a version. */
interface Workers {
  readonly stopWorkers: () => Promise<void>;
  readonly resize?: ModelVersionParts['resize'];
  /** Workers that were given up and have not ended. */
  readonly hungCount?: () => number;
  /** What keeps a worker from running, in words. */
  readonly trouble?: () => string | undefined;
}

/** Puts together what one model version is served with. */
@Injectable()
export class ModelVersionFactory {
  /** Every pool that may have a worker alive, also those that still load or have failed to. */
  readonly #pools = new Set<WorkerPool>();

  constructor(
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(WINDOW_POLICIES) private readonly windows: WindowPolicies,
    @Inject(DEVICE_ARBITER) private readonly arbiter: DeviceArbiter,
    @Inject(DEVICE_INVENTORY) private readonly devices: DeviceInventory,
    @Inject(WORKER_TRANSPORT) private readonly createTransport: WorkerTransportFactory,
    @Inject(InferenceMetrics) private readonly metrics: InferenceMetrics,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Loads a model and starts everything that it needs. When it settles, the version can serve.
   *
   * @param cancelled gives the load up at once when it is aborted, with its reason
   * @throws {ServingError} `model_not_loadable` or `invalid_options`; nothing is left running then
   */
  create(definition: ModelDefinition, cancelled: AbortSignal): Promise<ModelVersion> {
    if ('fault' in definition)
      return Promise.reject(new ServingError('model_not_loadable', definition.fault));
    return 'source' in definition
      ? this.#createWithWorkers(definition, cancelled)
      : this.#createInline(definition);
  }

  /**
   * Makes a window policy by its name.
   *
   * @throws {ServingError} `invalid_options`
   */
  createWindow(name: string): WindowPolicy {
    try {
      return this.windows.create(name);
    } catch (error) {
      throw new ServingError('invalid_options', `window: ${(error as Error).message}`);
    }
  }

  /** Ends every worker, also of models that still load. Settles when all have ended. */
  async stopWorkers(): Promise<void> {
    await Promise.all([...this.#pools].map((pool) => pool.stop()));
  }

  async #createWithWorkers(definition: WorkerModelDefinition, cancelled: AbortSignal): Promise<ModelVersion> {
    const name = definition.name ?? definition.source.specifier;
    let assembly: Assembly | undefined;
    const pool = new WorkerPool(definition.source, {
      clock: this.clock,
      devices: this.devices,
      createTransport: this.createTransport,
      log: (level, message, context) => this.logger[level]({ model: name, context }, message),
      restarted: (reason) => assembly?.metrics.workerRestarted(reason),
    });
    this.#pools.add(pool);
    const stopWorkers = async () => {
      await pool.stop();
      this.#pools.delete(pool);
    };
    try {
      const {
        loadTimeoutMs = DEFAULT_MODEL_OPTIONS.loadTimeoutMs,
        devices,
        workers,
        isolation,
      } = definition.options ?? {};
      const loaded = pool.load(loadTimeoutMs, { devices, isolation }, workers);
      const manifest = await unlessCancelled(loaded, cancelled);
      assembly = this.#assemble(definition, manifest);
      const started = pool.start(
        { name: assembly.name, version: assembly.version, ...assembly.options },
        assembly.batcher,
      );
      const batchSizeLimit = await unlessCancelled(started, cancelled);
      return this.#version(withBatchSizeLimit(assembly, batchSizeLimit), {
        stopWorkers,
        resize: (wanted) => pool.resize(wanted),
        hungCount: () => pool.hungCount,
        trouble: () => pool.trouble,
      });
    } catch (error) {
      // A worker that hangs may never end, which must not keep the caller from hearing of it.
      void stopWorkers();
      if (assembly !== undefined) await this.metrics.release(assembly.name, assembly.version);
      throw error;
    }
  }

  async #createInline(definition: InlineModelDefinition): Promise<ModelVersion> {
    const { manifest, cost } = describeHandler(definition.handlerOptions);
    const assembly = this.#assemble(definition, manifest);
    const { name, version, options, batcher } = assembly;
    const { maxBatchCost } = options;
    const bound = cost === undefined || maxBatchCost === undefined ? undefined : { cost, maxBatchCost };
    // For an inline model a worker is a batch that may be in flight beside others.
    for (let workerId = 0; workerId < options.workers; workerId++) {
      const owner = { workerId, device: 'cpu', model: name, version };
      batcher.addLane(
        new InlineLane({ ...definition.handler, bound, streaming: streamingModeOf(manifest.handler) }, owner),
      );
    }
    return this.#version(assembly, { stopWorkers: async () => undefined });
  }

  #assemble(definition: ModelDefinition, manifest: Manifest): Assembly {
    const name = checkName(definition.name ?? manifest.handler.name ?? '');
    const version = checkVersion(definition.version ?? manifest.handler.version ?? '1');
    const options = effectiveOptions(manifest.handler, definition.options ?? {});
    for (const warning of optionWarnings(options)) this.logger.warn({ model: name, version }, warning);
    const window = this.createWindow(options.window);
    const metrics = this.metrics.forModel(name, version);
    const breaker = new ModelBreaker(breakerOptions(options), () => this.clock.now());
    const observer = new VersionObserver(metrics, breaker, this.logger.child({ model: name, version }));
    const batcher = new DynamicBatcher<unknown, unknown>(
      { ...options, window, streaming: streamingModeOf(manifest.handler) },
      this.clock,
      observer,
      this.arbiter,
    );
    return { name, version, options, manifest, batcher, metrics, breaker };
  }

  #version(assembly: Assembly, { stopWorkers, resize, hungCount, trouble }: Workers): ModelVersion {
    const { batcher, metrics, manifest, options, breaker } = assembly;
    const report = () =>
      metrics.report({
        queueSize: batcher.queueSize,
        lanes: batcher.laneCount,
        hung: hungCount?.() ?? 0,
        breaker: breaker.state,
      });
    let endReports: () => void = () => undefined;
    const stopReporting = () => {
      endReports();
      metrics.report({ queueSize: 0, lanes: 0, breaker: breaker.state });
    };
    return new ModelVersion({
      ...assembly,
      resize,
      trouble: trouble ?? (() => undefined),
      isInline: trouble === undefined,
      clock: this.clock,
      validator: new InputValidator(manifest.input),
      signatureOf: signatureFor(manifest.input, options),
      costOf: options.cost === undefined ? () => 1 : MEASURES[options.cost],
      startReporting: () => {
        endReports = this.metrics.onScrape(report);
      },
      stopReporting,
      free: async () => {
        await stopWorkers();
        stopReporting();
        await this.metrics.release(assembly.name, assembly.version);
      },
    });
  }
}

/** Keeps batches as small as they must be for right answers. */
function withBatchSizeLimit(assembly: Assembly, batchSizeLimit: number): Assembly {
  const { batcher, manifest, options } = assembly;
  if (batchSizeLimit >= options.maxBatchSize) return assembly;
  batcher.configure({ maxBatchSize: batchSizeLimit });
  return {
    ...assembly,
    options: { ...options, maxBatchSize: batchSizeLimit },
    manifest: { ...manifest, handler: { ...manifest.handler, batchSizeLimit } },
  };
}
