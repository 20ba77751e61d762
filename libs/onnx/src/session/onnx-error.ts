/** What kind of thing went wrong in an `OnnxSession`. */
export type OnnxErrorCode =
  /** The file is missing or is no ONNX model that this runtime can load. */
  | 'cannot_open'
  /** The device string is not one, or the device or its libraries are missing. */
  | 'device_unavailable'
  /** The model takes or gives something that is not a tensor of a served element type. */
  | 'unsupported_value'
  | 'missing_input'
  | 'unknown_input'
  | 'wrong_dtype'
  | 'wrong_shape'
  /** The runtime itself refused or failed. */
  | 'run_failed'
  /** The session was released before. */
  | 'released';

/** An error of an ONNX session, with a stable code and a message that names the input or output concerned. */
export class OnnxError extends Error {
  override readonly name = 'OnnxError';

  constructor(
    readonly code: OnnxErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
