import type { ModelSource } from '#gpu-pool';
import type { OnnxModelSettings } from '#onnx';

/**
 * The source of the built-in model that serves an ONNX file. The worker imports it by name: this thread must not
 * load the runtime.
 *
 * @param onnx with absolute paths
 */
export function onnxSource(onnx: OnnxModelSettings): ModelSource {
  return { specifier: '#onnx', exportName: 'onnxFileModule', settings: { ...onnx } };
}
