import { ServingError } from '#model';
import type { ModelDefinition } from '../model-definition.js';
import type { ModelVersion } from '../version/model-version.js';

/** Where a registration stands. */
export type RegistrationState = 'loading' | 'ready' | 'draining' | 'failed';

/** One registered model version, from the wish to serve it to its removal. */
export class ModelRegistration {
  /** When it was asked for. */
  readonly since = new Date();
  /** One with an equal definition that became ready while this one waited for its turn. */
  twin: ModelRegistration | undefined;
  #definition: ModelDefinition;
  #served: ModelVersion | undefined;
  #error: ServingError | undefined;
  readonly #cancellation = new AbortController();

  constructor(definition: ModelDefinition) {
    this.#definition = definition;
  }

  get definition(): ModelDefinition {
    return this.#definition;
  }

  /** `undefined` until the handler's own name is known. */
  get name(): string | undefined {
    if (this.#served !== undefined) return this.#served.name;
    const { definition } = this;
    return definition.name ?? ('handlerOptions' in definition ? definition.handlerOptions.name : undefined);
  }

  /** `undefined` until the handler's own version is known. */
  get version(): string | undefined {
    if (this.#served !== undefined) return this.#served.version;
    const { definition } = this;
    const own = 'handlerOptions' in definition ? (definition.handlerOptions.version ?? '1') : undefined;
    return definition.version ?? own;
  }

  /** What is known of its name and version. */
  get labels(): { readonly name?: string; readonly version?: string } {
    const { name, version } = this;
    return { ...(name === undefined ? {} : { name }), ...(version === undefined ? {} : { version }) };
  }

  get served(): ModelVersion | undefined {
    return this.#served;
  }

  get state(): RegistrationState {
    if (this.#served !== undefined) return this.#served.state;
    return this.#error === undefined ? 'loading' : 'failed';
  }

  /** Why it failed, or what keeps a worker of it from running. */
  get reason(): string | undefined {
    return this.#error?.message ?? this.#served?.trouble;
  }

  /** Aborted when it is not wanted any more while it loads. */
  get cancelled(): AbortSignal {
    return this.#cancellation.signal;
  }

  /** Gives the load up, with this as its reason. */
  cancel(reason: ServingError): void {
    this.#cancellation.abort(reason);
  }

  /** Takes the model over that was loaded for it. */
  becomeReady(version: ModelVersion): void {
    this.#served = version;
  }

  fail(error: ServingError): void {
    this.#error = error;
  }

  /** Notes what was changed while it serves. */
  redefine(definition: ModelDefinition): void {
    this.#definition = definition;
  }
}
