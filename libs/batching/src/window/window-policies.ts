import { AutoWindow } from './auto-window.js';
import { EagerWindow } from './eager-window.js';
import { FixedWindow } from './fixed-window.js';
import type { WindowPolicy, WindowPolicyFactory } from './window-policy.js';

/** The window policies that models can name in their `window` option. */
export class WindowPolicies {
  readonly #factories: ReadonlyMap<string, WindowPolicyFactory>;

  /** @param additional an application's own policies by name; a built-in name replaces the built-in one */
  constructor(additional: Readonly<Record<string, WindowPolicyFactory>> = {}) {
    this.#factories = new Map<string, WindowPolicyFactory>([
      ['auto', () => new AutoWindow()],
      ['eager', () => new EagerWindow()],
      ['fixed', () => new FixedWindow()],
      ...Object.entries(additional),
    ]);
  }

  get names(): string[] {
    return [...this.#factories.keys()];
  }

  /** @throws {RangeError} when no policy has this name */
  create(name: string): WindowPolicy {
    const factory = this.#factories.get(name);
    if (factory === undefined) {
      throw new RangeError(`unknown window '${name}': known are ${this.names.join(', ')}`);
    }
    return factory();
  }
}
