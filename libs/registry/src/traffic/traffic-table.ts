import type { RoutingRequest } from '#model';
import { Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { pickVersion, weightOf } from './pick-version.js';
import { saysNothing, type ShadowRule, type Traffic } from './traffic.js';

interface Labelled {
  readonly version: string;
}

/** Whether a version is on its way to serve. */
type IsLoading = (version: string) => boolean;

/**
 * The traffic rules of each model that has some. Rules name versions by label and may outlive them: of those that are
 * named, the ones that serve share everything in proportion; while none serves but one is loading, as after a restart,
 * nobody gets anything; when all are gone, the latest gets everything.
 */
@Injectable()
export class TrafficTable {
  readonly #rules = new Map<string, Traffic>();

  get(name: string): Traffic | undefined {
    return this.#rules.get(name);
  }

  set(name: string, traffic: Traffic | undefined): void {
    if (traffic === undefined || saysNothing(traffic)) this.#rules.delete(name);
    else this.#rules.set(name, traffic);
  }

  /**
   * The version for a request that names none; `undefined` while that is still loading.
   *
   * @param versions those that serve, latest first; at least one
   * @param request tells which client it comes from; left out, requests are spread at random
   */
  choose<V extends Labelled>(
    name: string,
    versions: readonly V[],
    isLoading: IsLoading,
    request: RoutingRequest = {},
  ): V | undefined {
    const rules = this.#rules.get(name);
    if (rules === undefined) return versions[0];
    const weights = weightsOf(rules);
    const chosen = pickVersion(keyOf(request, rules.stickyHeader), versions, weights);
    if (chosen !== undefined) return chosen;
    const isExpected = Object.keys(weights).some(
      (version) => weightOf(weights, version) > 0 && isLoading(version),
    );
    return isExpected ? undefined : versions[0];
  }

  /**
   * The part of the requests that each version gets which gets any, as things stand.
   *
   * @param versions as for {@link choose}; may be empty
   */
  shares(name: string, versions: readonly Labelled[], isLoading: IsLoading): Record<string, number> {
    const weights = weightsOf(this.#rules.get(name) ?? {});
    const weighted = versions.map(({ version }) => [version, weightOf(weights, version)] as const);
    const total = weighted.reduce((sum, [, weight]) => sum + weight, 0);
    if (total > 0) {
      const shares = weighted.filter(([, weight]) => weight > 0);
      return Object.fromEntries(shares.map(([version, weight]) => [version, weight / total]));
    }
    const only = this.choose(name, versions, isLoading);
    return only === undefined ? {} : { [only.version]: 1 };
  }

  /** The rule by which a request that this version answers has a shadow, if it has one. */
  shadowOf(name: string, answering: string): ShadowRule | undefined {
    const shadow = this.#rules.get(name)?.shadow;
    return shadow?.version === answering ? undefined : shadow;
  }
}

/** A pinned version is a split with one part. */
function weightsOf({ pinned, weights = {} }: Traffic): Readonly<Record<string, number>> {
  return pinned === undefined ? weights : { [pinned]: 1 };
}

/** A client without the header is one by each of its requests. */
function keyOf({ id, headers }: RoutingRequest, stickyHeader: string | undefined): string {
  const value = stickyHeader === undefined ? undefined : headers?.[stickyHeader];
  return value === undefined ? (id ?? randomUUID()) : String(value);
}
