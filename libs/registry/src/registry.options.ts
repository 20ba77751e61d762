import type { ModelDefinition } from './model-definition.js';

/** Options of `RegistryModule`. */
export interface RegistryModuleOptions {
  /** Models to load at start. The server is ready when all of them are. */
  readonly models?: readonly ModelDefinition[];
  /** Time that admitted requests have when the server stops, in milliseconds. Default 30 s. */
  readonly drainTimeoutMs?: number;
}

/** Time that admitted requests have where nobody says otherwise, in milliseconds. */
export const DEFAULT_DRAIN_TIMEOUT_MS = 30_000;

/** Injects the {@link RegistryModuleOptions}. */
export const REGISTRY_OPTIONS = Symbol('REGISTRY_OPTIONS');
