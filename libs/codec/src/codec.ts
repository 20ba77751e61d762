/** Reads and writes bodies of one media type. */
export interface Codec {
  /** Its media type, for example `application/json`. */
  readonly mediaType: string;
  /**
   * @throws {ServingError} `unreadable_body`
   */
  decode(body: Buffer): unknown;
  /**
   * @throws {ServingError} `non_finite_output`, or `contract_violation` for a value that it cannot carry
   */
  encode(value: unknown): string | Buffer;
}
