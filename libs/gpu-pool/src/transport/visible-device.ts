/** A device as a process of its own sees it. */
export interface VisibleDevice {
  /** Its name inside that process. */
  readonly device: string;
  /** Environment variables that make it so. */
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * Pins a process to one GPU: it sees no other, so that nothing it does can take memory there. CUDA numbers what a
 * process may see from 0, hence the GPU is `cuda:0` inside.
 *
 * @param device by the server's name, which counts the GPUs that the server itself may see
 * @param visible the server's own `CUDA_VISIBLE_DEVICES`
 */
export function visibleDevice(device: string, visible = process.env['CUDA_VISIBLE_DEVICES']): VisibleDevice {
  const number = /^cuda:(\d+)$/.exec(device)?.[1];
  if (number === undefined) return { device, environment: {} };
  const id = visible?.split(',')[Number(number)]?.trim() ?? number;
  return { device: 'cuda:0', environment: { CUDA_VISIBLE_DEVICES: id } };
}
