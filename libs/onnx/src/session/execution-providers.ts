import type { InferenceSession } from 'onnxruntime-node';
import { OnnxError } from './onnx-error.js';

const CUDA = /^cuda:(\d{1,3})$/;

/**
 * The runtime's execution providers for a device.
 *
 * With `cuda:N` the CPU provider comes second, for the single operators that CUDA lacks. It is no fallback:
 * the runtime refuses to open a session when CUDA itself cannot be loaded.
 *
 * @param device `cpu` or `cuda:N`
 * @throws {OnnxError} `device_unavailable` for any other string
 */
export function executionProviders(device: string): InferenceSession.ExecutionProviderConfig[] {
  if (device === 'cpu') return ['cpu'];
  const number = CUDA.exec(device)?.[1];
  if (number === undefined) {
    throw new OnnxError('device_unavailable', `'${device}' is no device; devices are 'cpu' and 'cuda:N'`);
  }
  return [{ name: 'cuda', deviceId: Number(number) }, 'cpu'];
}
