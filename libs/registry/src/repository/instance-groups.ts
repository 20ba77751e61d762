import type { ModelOptions } from '#model';
import type { ConfigurationFields } from './configuration-fields.js';

interface InstanceGroup {
  readonly workers: number;
  /** `undefined` for any device. */
  readonly devices: readonly string[] | undefined;
}

/**
 * Reads `instance_group`: how many workers there are, and where. A GPU that the server does not have is no reason not to
 * serve the model: it then runs on what there is, and a warning says so.
 *
 * @param devices those of the server
 */
export function readInstanceGroups(
  fields: ConfigurationFields,
  devices: readonly string[],
): Partial<Pick<ModelOptions, 'workers' | 'devices'>> {
  const groups = fields.messages('instance_group').map((group) => readGroup(group, devices));
  if (groups.length === 0) return {};
  const workers = groups.reduce((sum, group) => sum + group.workers, 0);
  if (groups.some((group) => group.devices === undefined)) return { workers };
  return { workers, devices: [...new Set(groups.flatMap((group) => group.devices!))] };
}

function readGroup(group: ConfigurationFields, devices: readonly string[]): InstanceGroup {
  const count = group.integer('count') ?? 1;
  const kind = group.text('kind') ?? 'KIND_AUTO';
  const gpus = group.integers('gpus').map((gpu) => `cuda:${gpu}`);
  group.ignore('name');
  group.warnOfRest();
  if (count < 1) throw group.fault('count', 'must be at least 1');
  switch (kind) {
    case 'KIND_CPU':
      return onCpu(group, count, devices);
    case 'KIND_AUTO':
    case 'KIND_MODEL':
      return gpus.length === 0 ? { workers: count, devices: undefined } : onGpus(group, count, gpus, devices);
    case 'KIND_GPU':
      return onGpus(group, count, gpus, devices);
    default:
      throw group.fault('kind', `'${kind}' is not known; it must be KIND_AUTO, KIND_GPU or KIND_CPU`);
  }
}

function onCpu(group: ConfigurationFields, count: number, devices: readonly string[]): InstanceGroup {
  if (devices.includes('cpu')) return { workers: count, devices: ['cpu'] };
  group.warn('kind', `asks for the CPU, which this server does not use: runs on ${devices.join(', ')}`);
  return { workers: count, devices: undefined };
}

/** So many workers on each of the GPUs that are named, or on each that there is. */
function onGpus(
  group: ConfigurationFields,
  count: number,
  named: readonly string[],
  devices: readonly string[],
): InstanceGroup {
  const present = devices.filter((device) => device.startsWith('cuda:'));
  const wanted = named.length === 0 ? present : named;
  const found = wanted.filter((device) => devices.includes(device));
  if (found.length > 0) return { workers: count * found.length, devices: found };
  group.warn(
    'kind',
    `asks for ${named.join(', ') || 'GPUs'}, which this server does not have: runs on ${devices.join(', ')}`,
  );
  return { workers: count, devices: undefined };
}
