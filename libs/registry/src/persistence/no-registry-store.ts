import type { RegistryState, RegistryStore } from './registry-store.js';

/** Keeps nothing: a restart serves what is configured. */
export class NoRegistryStore implements RegistryStore {
  async read(): Promise<RegistryState> {
    return { models: [] };
  }

  async write(): Promise<void> {}
}
