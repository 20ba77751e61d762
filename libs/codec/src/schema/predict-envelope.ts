/** What a request's body holds. */
export interface PredictEnvelope {
  /** The items: one for `data`, all of `inputs`. */
  readonly items: readonly unknown[];
  /** Whether the client sent `inputs`, and wants a list back. */
  readonly isList: boolean;
  readonly parameters: Record<string, unknown>;
}
