import type { DataType } from '#model';

/** An input or output as somebody beside the file declares it; without the batch axis, where there is one. */
export interface DeclaredValue {
  readonly name: string;
  readonly dtype: DataType;
  readonly shape: readonly (number | null)[];
}

/** One input of a warm-up sample, without the batch axis. */
export interface WarmupTensor extends Omit<DeclaredValue, 'name'> {
  /** Where its elements come from. A file holds them in little-endian order. */
  readonly data: 'zeros' | 'random' | { readonly file: string };
}

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
  /** Every input of the file, where somebody declares them; axes may be narrower than the file's. */
  readonly inputs?: readonly DeclaredValue[];
  /** The outputs that are wanted. Default: all of the file's. */
  readonly outputs?: readonly DeclaredValue[];
  /** Samples to try the model with. Default: some are made up. */
  readonly warmup?: readonly Readonly<Record<string, WarmupTensor>>[];
}
