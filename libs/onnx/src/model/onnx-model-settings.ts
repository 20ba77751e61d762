/** What an ONNX file is served with. */
export interface OnnxModelSettings {
  /** Path of the file. */
  readonly file: string;
  /** Path of a file with the names of the classes. */
  readonly labels?: string;
  /** The output that the labels name. Default: the only one with as many numbers an item as there are labels. */
  readonly labelledOutput?: string;
  /**
   * Whether the first axis of inputs and outputs is the batch axis. Default: found out from the file, see
   * `batchLayout`.
   */
  readonly isStacked?: boolean;
}
