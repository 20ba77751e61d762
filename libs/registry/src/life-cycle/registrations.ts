import { Injectable } from '@nestjs/common';
import { isDeepStrictEqual } from 'node:util';
import { compareVersions } from '../natural-order.js';
import type { ModelRegistration } from './model-registration.js';

/** Failed registrations that are kept for somebody to look at, at most. */
const MOST_FAILURES = 100;

/** Every registration, whatever its state. */
@Injectable()
export class Registrations {
  readonly #all = new Set<ModelRegistration>();

  get all(): ModelRegistration[] {
    return [...this.#all];
  }

  add(registration: ModelRegistration): void {
    this.#all.add(registration);
  }

  /** Adds one that has failed, in the place of earlier ones with its labels, and of the oldest where there are too many. */
  addFailure(registration: ModelRegistration): void {
    if (registration.name !== undefined) this.forgetFailures(registration.name, registration.version);
    this.#all.add(registration);
    const failed = this.all.filter(({ state }) => state === 'failed');
    if (failed.length > MOST_FAILURES) this.#all.delete(failed[0]!);
  }

  delete(registration: ModelRegistration): void {
    this.#all.delete(registration);
  }

  /** Those of a name, the highest version first, one that serves before one that does not. */
  find(name: string, version?: string): ModelRegistration[] {
    return this.all
      .filter((each) => each.name === name && (version === undefined || each.version === version))
      .sort((a, b) => compareVersions(b.version ?? '', a.version ?? '') || rank(a) - rank(b));
  }

  /** The one that has workers under this label, whether or not it takes requests. */
  occupying(name: string, version: string): ModelRegistration | undefined {
    return this.find(name, version).find(({ served }) => served !== undefined);
  }

  /** Notes for those that wait to load what has just become ready that it is there. */
  announce(ready: ModelRegistration): void {
    for (const each of this.#all) {
      if (each.state === 'loading' && isDeepStrictEqual(each.definition, ready.definition)) each.twin = ready;
    }
  }

  /** Drops failed ones that a later registration makes meaningless: with its label, or with none. */
  forgetFailures(name: string, version: string | undefined): void {
    for (const each of this.find(name)) {
      const isSame = each.version === version || each.version === undefined;
      if (each.state === 'failed' && isSame) this.#all.delete(each);
    }
  }
}

function rank({ state }: ModelRegistration): number {
  return ['ready', 'draining', 'loading', 'failed'].indexOf(state);
}
