import { toRestOptions, type ModelRegistration, type ModelRegistry } from '#registry';

/** One version of a model as operators see it. */
export interface VersionReport {
  readonly name: string;
  /** `null` while only the model knows. */
  readonly version: string | null;
  readonly state: ModelRegistration['state'];
  /** Whether it is the highest of those that are ready; traffic rules may say otherwise who gets requests. */
  readonly latest: boolean;
  /** When it was registered, in ISO 8601. */
  readonly since: string;
  /** Why it failed, or what keeps a worker of it from running. */
  readonly reason?: string;
  /** Workers that are alive. */
  readonly workers_alive: number;
  /** Items that wait. */
  readonly queue_size: number;
  readonly breaker?: string;
  readonly streaming?: boolean;
  /** What holds for it; before it has been loaded, what was asked for. Times in seconds. */
  readonly options: Readonly<Record<string, unknown>>;
}

/** One model with all its versions. */
export interface ModelReport {
  readonly name: string;
  /** The highest version that is ready; `null` when none is. Without traffic rules it gets requests that name none. */
  readonly latest: string | null;
  readonly versions: readonly VersionReport[];
}

/** Every model, by name. */
export function reportModels(registry: ModelRegistry): ModelReport[] {
  const names = new Set(registry.registrations.map(nameOf));
  return [...names].sort().map((name) => reportModel(registry, name));
}

/** One model. Its versions are ordered as requests find them. */
export function reportModel(registry: ModelRegistry, name: string): ModelReport {
  return {
    name,
    latest: registry.latest(name)?.version ?? null,
    versions: registry.registrationsOf(name).map((registration) => reportVersion(registry, registration)),
  };
}

/** One version. */
export function reportVersion(registry: ModelRegistry, registration: ModelRegistration): VersionReport {
  const { served, reason, definition, version, state, since } = registration;
  const name = nameOf(registration);
  return {
    name,
    version: version ?? null,
    state,
    latest: served !== undefined && registry.latest(name) === served,
    since: since.toISOString(),
    ...(reason === undefined ? {} : { reason }),
    workers_alive: served?.laneCount ?? 0,
    queue_size: served?.queueSize ?? 0,
    ...(served === undefined ? {} : { breaker: served.breaker.state, streaming: served.isStreaming }),
    options: toRestOptions(served?.options ?? definition.options ?? {}),
  };
}

function nameOf({ name }: ModelRegistration): string {
  return name ?? 'unnamed';
}
