import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Lists the GPUs that the driver knows, one line each; rejects where there is no driver. */
export type GpuLister = () => Promise<string>;

const listWithNvidiaSmi: GpuLister = async () => {
  const { stdout } = await promisify(execFile)('nvidia-smi', ['-L'], { timeout: 10_000 });
  return stdout;
};

/**
 * The devices of this machine: one `cuda:<n>` for each GPU that this process may see, else `cpu`.
 *
 * @param environment `CUDA_VISIBLE_DEVICES` of it hides GPUs, as it does from CUDA itself
 */
export async function detectDevices(
  environment: NodeJS.ProcessEnv = process.env,
  listGpus: GpuLister = listWithNvidiaSmi,
): Promise<string[]> {
  const visible = environment['CUDA_VISIBLE_DEVICES']?.split(',').map((id) => id.trim());
  if (visible?.[0] === '') return ['cpu'];
  let installed: number;
  try {
    installed = (await listGpus()).split('\n').filter((line) => line.startsWith('GPU ')).length;
  } catch {
    return ['cpu'];
  }
  // CUDA numbers the visible GPUs from 0, whatever their numbers in the machine, and stops at the first invalid one.
  const firstInvalid = visible?.findIndex((id) => !isInstalled(id, installed)) ?? -1;
  const listed = firstInvalid < 0 ? (visible?.length ?? installed) : firstInvalid;
  const count = Math.min(installed, listed);
  return count === 0 ? ['cpu'] : Array.from({ length: count }, (_, index) => `cuda:${index}`);
}

/** A GPU is named by its number or by its UUID. */
function isInstalled(id: string, installed: number): boolean {
  return /^\d+$/.test(id) ? Number(id) < installed : /^(GPU|MIG)-/.test(id);
}
