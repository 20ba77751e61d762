/** Which versions get the requests that name none. */
export interface Traffic {
  /** The one version that gets them. Not beside `weights`. */
  readonly pinned?: string;
  /** The share of each version, in any unit. One that is not here gets nothing. */
  readonly weights?: Readonly<Record<string, number>>;
  /** Name of the header whose value keeps a client on one version, in lower case. Default: the request's id. */
  readonly stickyHeader?: string;
  /** A version that gets copies of requests which others answer. */
  readonly shadow?: ShadowRule;
}

/** What a shadow gets. */
export interface ShadowRule {
  readonly version: string;
  /** The part of the requests that is copied: above 0, at most 1. */
  readonly fraction: number;
}

/** Whether the rules say nothing. */
export function saysNothing({ pinned, weights, shadow }: Traffic): boolean {
  return pinned === undefined && weights === undefined && shadow === undefined;
}
