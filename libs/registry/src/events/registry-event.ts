/** What happens to the models of a registry. `name` and `version` are missing while only the model knows them. */
export type RegistryEvent =
  /** Somebody wants it served; it is loading. */
  | { readonly type: 'registered'; readonly name?: string; readonly version?: string }
  /** It takes requests. `replaced`: in the place of one with the same name and version. */
  | { readonly type: 'ready'; readonly name: string; readonly version: string; readonly replaced: boolean }
  /** It could not be loaded. */
  | { readonly type: 'failed'; readonly name?: string; readonly version?: string; readonly reason: string }
  /** It takes no new requests, and answers what it has admitted. */
  | { readonly type: 'draining'; readonly name: string; readonly version: string }
  /** It is gone. `refused`: requests that were admitted and could not be answered in time. */
  | { readonly type: 'removed'; readonly name: string; readonly version: string; readonly refused: number }
  /** Options were changed while it serves; `options` are their TypeScript names. */
  | {
      readonly type: 'updated';
      readonly name: string;
      readonly version: string;
      readonly options: readonly string[];
    };

/** Hears of events. What it throws, or rejects with, is logged and disturbs nothing. */
export type RegistryListener = (event: RegistryEvent) => unknown;
