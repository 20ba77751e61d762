import { Injectable } from '@nestjs/common';
import { compareVersions } from '../natural-order.js';
import type { ModelVersion } from '../version/model-version.js';

/** The versions that take requests, by name; of each name, the highest first. */
@Injectable()
export class ServedVersions {
  readonly #versions = new Map<string, readonly ModelVersion[]>();

  get all(): ModelVersion[] {
    return [...this.#versions.values()].flat();
  }

  /** Every version of a model, highest first; `undefined` when none takes requests. */
  of(name: string): readonly ModelVersion[] | undefined {
    return this.#versions.get(name);
  }

  /** @param version label; left out for the highest */
  find(name: string, version?: string): ModelVersion | undefined {
    const versions = this.#versions.get(name);
    return version === undefined
      ? versions?.[0]
      : versions?.find((candidate) => candidate.version === version);
  }

  /** Adds a version, in the place of the one with the same label if there is one. */
  put(version: ModelVersion): void {
    const others = (this.of(version.name) ?? []).filter((other) => other.version !== version.version);
    const sorted = [...others, version].sort((a, b) => compareVersions(b.version, a.version));
    this.#versions.set(version.name, sorted);
  }

  delete(version: ModelVersion): void {
    const rest = (this.of(version.name) ?? []).filter((other) => other !== version);
    if (rest.length === 0) this.#versions.delete(version.name);
    else this.#versions.set(version.name, rest);
  }
}
