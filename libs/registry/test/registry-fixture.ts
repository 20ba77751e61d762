import { BatchingModule } from '#batching';
import { GpuPoolModule, WORKER_TRANSPORT } from '#gpu-pool';
import { TelemetryModule } from '#telemetry';
import type { DynamicModule } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { pino } from 'pino';
import { register } from 'prom-client';
import { ConfiguredModels } from '../src/configured-models.js';
import { ModelRegistry } from '../src/model-registry.js';
import type { WorkerModelDefinition } from '../src/model-definition.js';
import type { RegistryEvent } from '../src/events/registry-event.js';
import { RegistryModule } from '../src/registry.module.js';
import type { RegistryModuleOptions } from '../src/registry.options.js';
import { TrafficRules } from '../src/traffic/traffic-rules.js';
import { PlayedWorker } from './played-worker.js';

/** A registry whose workers the test plays. */
export interface RegistryFixture {
  readonly registry: ModelRegistry;
  readonly traffic: TrafficRules;
  readonly configured: ConfiguredModels;
  /** Runs what modules do when the application starts. */
  readonly start: () => Promise<unknown>;
  /** The workers that were started, in order. */
  readonly workers: readonly PlayedWorker[];
  readonly events: readonly RegistryEvent[];
  /** The types of the events so far. */
  readonly eventTypes: () => string[];
}

export function createRegistry(options: RegistryModuleOptions = {}): Promise<RegistryFixture> {
  return createRegistryOf(RegistryModule.forRoot(options));
}

/** @param registryModule made in whatever way */
export async function createRegistryOf(registryModule: DynamicModule): Promise<RegistryFixture> {
  register.clear();
  const workers: PlayedWorker[] = [];
  const module = await Test.createTestingModule({
    imports: [
      TelemetryModule.forRoot({ logger: pino({ level: 'silent' }) }),
      BatchingModule.forRoot({}),
      GpuPoolModule.forRoot({ devices: ['cpu'] }),
      registryModule,
    ],
  })
    .overrideProvider(WORKER_TRANSPORT)
    .useValue(() => {
      const worker = new PlayedWorker();
      workers.push(worker);
      return worker;
    })
    .compile();
  const registry = module.get(ModelRegistry);
  const events: RegistryEvent[] = [];
  registry.events.subscribe((event) => events.push(event));
  return {
    registry,
    traffic: module.get(TrafficRules),
    configured: module.get(ConfiguredModels),
    start: () => module.init(),
    workers,
    events,
    eventTypes: () => events.map(({ type }) => type),
  };
}

/** A model of workers. */
export function definition(name: string, version?: string): WorkerModelDefinition {
  return { name, source: { specifier: `test:${name}` }, ...(version === undefined ? {} : { version }) };
}

/** Lets everything happen that waits for nothing but its turn. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
}
