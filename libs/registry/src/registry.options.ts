import type { ModelDefinition } from './model-definition.js';
import type { RegistryStore } from './persistence/registry-store.js';
import type { Traffic } from './traffic/traffic.js';

/** Options of `RegistryModule`. */
export interface RegistryModuleOptions {
  /** Models to load at start. The server is ready when all of them are. */
  readonly models?: readonly ModelDefinition[];
  /** By model name, the traffic rules to begin with. They go before those that were set at run time. */
  readonly traffic?: Readonly<Record<string, Traffic>>;
  /** A folder in the layout of Triton's model repository, whose models are loaded at start too. */
  readonly repository?: {
    readonly path: string;
    /** Whether its changes are followed while the server runs. Default: no. */
    readonly watch?: boolean;
  };
  /** Time that admitted requests have when the server stops, in milliseconds. Default 30 s. */
  readonly drainTimeoutMs?: number;
  /** Folders that the code and the files of models that clients name may be loaded from. Default: none. */
  readonly modelRoots?: readonly string[];
  /** Directory that keeps what is registered at run time. Default: a restart forgets it. */
  readonly stateDirectory?: string;
  /** Keeps it elsewhere than in a directory. */
  readonly store?: RegistryStore;
  /** Where relative paths start, and packages are looked for. Default: the working directory. */
  readonly baseDirectory?: string;
}

/** Time that admitted requests have where nobody says otherwise, in milliseconds. */
export const DEFAULT_DRAIN_TIMEOUT_MS = 30_000;

/** Injects the {@link RegistryModuleOptions}. */
export const REGISTRY_OPTIONS = Symbol('REGISTRY_OPTIONS');
