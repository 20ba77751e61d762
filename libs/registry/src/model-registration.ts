import type { ModelDefinition } from './model-definition.js';
import type { ModelVersion } from './version/model-version.js';

/** Where a registration stands. */
export type RegistrationState = 'loading' | 'ready' | 'draining' | 'failed';

/** One registered model version, from the wish to serve it to its removal. */
export class ModelRegistration {
  /** Why it failed. */
  reason: string | undefined;
  #served: ModelVersion | undefined;

  constructor(readonly definition: ModelDefinition) {}

  get name(): string | undefined {
    return this.#served?.name ?? this.definition.name;
  }

  /** `undefined` until the handler's own version is known. */
  get version(): string | undefined {
    return this.#served?.version ?? this.definition.version;
  }

  get served(): ModelVersion | undefined {
    return this.#served;
  }

  get state(): RegistrationState {
    if (this.#served !== undefined) return this.#served.state;
    return this.reason === undefined ? 'loading' : 'failed';
  }

  becomeReady(version: ModelVersion): void {
    this.#served = version;
  }

  fail(reason: string): void {
    this.reason = reason;
  }
}
