import { Inject, Injectable } from '@nestjs/common';
import type { StoredModel } from './registry-store.js';
import { StoredState } from './stored-state.js';

type Settings = StoredModel['settings'];

/** The models that were registered at run time and that a restart registers again. */
@Injectable()
export class RememberedModels {
  constructor(@Inject(StoredState) private readonly state: StoredState) {}

  get all(): readonly StoredModel[] {
    return this.state.current.models;
  }

  /**
   * Notes what serves under a label from now on.
   *
   * @param settings what to register it with again; left out for what a restart has from elsewhere
   * @throws {ServingError} `state_not_saved`
   */
  keep(name: string, version: string, settings: Settings | undefined): Promise<void> {
    return this.#replace(name, version, () => settings);
  }

  /** @throws {ServingError} `state_not_saved` */
  forget(name: string, version: string): Promise<void> {
    return this.#replace(name, version, () => undefined);
  }

  /**
   * Changes what a model is registered with again, if it is.
   *
   * @throws {ServingError} `state_not_saved`
   */
  change(name: string, version: string, change: (settings: Settings) => Settings): Promise<void> {
    return this.#replace(name, version, (settings) =>
      settings === undefined ? undefined : change(settings),
    );
  }

  #replace(
    name: string,
    version: string,
    change: (settings: Settings | undefined) => Settings | undefined,
  ): Promise<void> {
    return this.state.change((state) => {
      const isMeant = (model: StoredModel) => model.name === name && model.version === version;
      const old = state.models.find(isMeant);
      const settings = change(old?.settings);
      if (settings === old?.settings) return state;
      const others = state.models.filter((model) => !isMeant(model));
      return { ...state, models: settings === undefined ? others : [...others, { name, version, settings }] };
    });
  }
}
