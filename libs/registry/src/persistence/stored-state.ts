import { ServingError } from '#model';
import { Inject, Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { REGISTRY_STORE, type RegistryState, type RegistryStore } from './registry-store.js';

/** The state that survives a restart, and the one way to change it. */
@Injectable()
export class StoredState implements OnModuleInit, OnApplicationShutdown {
  #state: RegistryState = { models: [] };
  #lastChange: Promise<unknown> = Promise.resolve();

  constructor(@Inject(REGISTRY_STORE) private readonly store: RegistryStore) {}

  async onModuleInit(): Promise<void> {
    await this.store.open?.();
    this.#state = await this.store.read();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.#lastChange;
    await this.store.close?.();
  }

  get current(): RegistryState {
    return this.#state;
  }

  /**
   * Settles when the change will survive. Changes are written one after the other.
   *
   * @param change makes the new state; returns the old one when there is nothing to change
   * @throws {ServingError} `state_not_saved`; the state is as before then
   */
  change(change: (state: RegistryState) => RegistryState): Promise<void> {
    const done = this.#lastChange.then(async () => {
      const changed = change(this.#state);
      if (changed === this.#state) return;
      await this.#write(changed);
      this.#state = changed;
    });
    this.#lastChange = done.catch(() => undefined);
    return done;
  }

  async #write(state: RegistryState): Promise<void> {
    try {
      await this.store.write(state);
    } catch (error) {
      throw new ServingError('state_not_saved', 'the change could not be saved, and was not made', {
        cause: error,
      });
    }
  }
}
