import type { RoutingRequest } from '#model';
import { Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { pickVersion, weightOf } from './pick-version.js';
import { saysNothing, type ShadowRule, type Traffic } from './traffic.js';

interface Labelled {
  readonly version: string;
}

/**
 * The traffic rules of each model that has some. Rules name versions by label and may outlive them: a version that does
 * not serve gets nothing, the rest share in proportion, and when none of those that are named serves, the latest gets
 * everything.
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
   * The version for a request that names none.
   *
   * @param versions those that serve, latest first; at least one
   * @param request tells which client it comes from; left out, requests are spread at random
   */
  choose<V extends Labelled>(name: string, versions: readonly V[], request: RoutingRequest = {}): V {
    const [latest] = versions as readonly [V, ...V[]];
    const rules = this.#rules.get(name);
    if (rules === undefined) return latest;
    const { pinned, weights, stickyHeader } = rules;
    if (pinned !== undefined) return versions.find(({ version }) => version === pinned) ?? latest;
    if (weights === undefined) return latest;
    return pickVersion(keyOf(request, stickyHeader), versions, weights) ?? latest;
  }

  /**
   * The part of the requests that each version gets which gets any, as things stand.
   *
   * @param versions as for {@link choose}; may be empty
   */
  shares(name: string, versions: readonly Labelled[]): Record<string, number> {
    const weights = this.#rules.get(name)?.weights ?? {};
    const weighted = versions.map(({ version }) => [version, weightOf(weights, version)] as const);
    const total = weighted.reduce((sum, [, weight]) => sum + weight, 0);
    if (total > 0) {
      const shares = weighted.filter(([, weight]) => weight > 0);
      return Object.fromEntries(shares.map(([version, weight]) => [version, weight / total]));
    }
    return versions.length === 0 ? {} : { [this.choose(name, versions).version]: 1 };
  }

  /** The rule by which a request that this version answers has a shadow, if it has one. */
  shadowOf(name: string, answering: string): ShadowRule | undefined {
    const shadow = this.#rules.get(name)?.shadow;
    return shadow?.version === answering ? undefined : shadow;
  }
}

/** A client without the header is one by each of its requests. */
function keyOf({ id, headers }: RoutingRequest, stickyHeader: string | undefined): string {
  const value = stickyHeader === undefined ? undefined : headers?.[stickyHeader];
  return value === undefined ? (id ?? randomUUID()) : String(value);
}
