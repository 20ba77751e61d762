import type { ModelSource } from '#gpu-pool';

/** An ONNX file that is to be served without code. The paths are absolute. */
export interface OnnxFile {
  readonly file: string;
  /** A file with the names of the classes. */
  readonly labels?: string;
  /** The output that the labels name, where several could be meant. */
  readonly labelledOutput?: string;
  /** Whether the first axis is the batch axis. Default: found out from the file. */
  readonly isStacked?: boolean;
}

/**
 * The source of the built-in model that serves an ONNX file. The worker imports it by name: this thread must not
 * load the runtime.
 */
export function onnxSource(onnx: OnnxFile): ModelSource {
  return { specifier: '#onnx', exportName: 'onnxFileModule', settings: { ...onnx } };
}
