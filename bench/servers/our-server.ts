import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ServerProcess } from './server-process.js';

/** One model of a benchmarked server. */
export interface ServedModel {
  readonly name: string;
  /** Its module, from the root of the project. */
  readonly module: string;
  /** Whether requests may share a batch; without, `max_batch_size` is 1. */
  readonly batching: boolean;
  /** Default: the server's. */
  readonly window?: string;
}

/** More than the benchmark has connections: a refused request would be a fast answer that cost nothing. */
const QUEUE_SIZE = 2048;

/**
 * Our server as it is built, with one model and that model's own options.
 *
 * @param folder for its configuration file
 */
export function ourServer(
  folder: string,
  { name, module, batching, window }: ServedModel,
  environment: Readonly<Record<string, string>> = {},
): ServerProcess {
  const model = {
    module: resolve(module),
    max_queue_size: QUEUE_SIZE,
    ...(batching ? {} : { max_batch_size: 1 }),
    ...(window === undefined ? {} : { window }),
  };
  const file = `${name}-${batching ? 'on' : 'off'}-${window ?? 'default'}.yaml`;
  return configuredServer(join(folder, file), { models: { [name]: model } }, environment);
}

/**
 * Our server as it is built, with a configuration file of its own.
 *
 * @param file where to write it
 * @param configuration what `smartbatch.yaml` may say
 */
export function configuredServer(
  file: string,
  configuration: object,
  environment: Readonly<Record<string, string>> = {},
): ServerProcess {
  // JSON is YAML too.
  writeFileSync(file, JSON.stringify(configuration));
  return new ServerProcess('dist/main.js', {
    ...environment,
    SMARTBATCH_CONFIG: file,
    HOST: '127.0.0.1',
    LOG_LEVEL: 'warn',
  });
}
