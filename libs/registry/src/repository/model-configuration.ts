import type { DataType, ModelOptions } from '#model';
import type { DeclaredValue, WarmupTensor } from '#onnx';
import { ConfigurationFields } from './configuration-fields.js';
import { readDynamicBatching } from './dynamic-batching.js';
import { readInstanceGroups } from './instance-groups.js';
import { parseTextFormat } from './text-format/parse-text-format.js';
import { LATEST, readVersionPolicy, type VersionPolicy } from './version-policy.js';

/** What a `config.pbtxt` says, in this server's terms. */
export interface ModelConfiguration {
  /** The file in a version's folder. */
  readonly fileName: string;
  /** Whether the first axis is the batch axis; `undefined` where the configuration leaves it to the file. */
  readonly isStacked: boolean | undefined;
  readonly inputs: readonly DeclaredValue[];
  readonly outputs: readonly DeclaredValue[];
  /** The file with the names of the classes of an output, in the model's folder. */
  readonly labels: { readonly fileName: string; readonly output: string } | undefined;
  readonly options: Partial<ModelOptions>;
  readonly versions: VersionPolicy;
  readonly warmup: readonly Readonly<Record<string, WarmupTensor>>[];
  /** Fields that do nothing here, each in one sentence. */
  readonly warnings: readonly string[];
}

/** What a model without a `config.pbtxt` is served with: everything else comes from its file. */
export const NO_CONFIGURATION: ModelConfiguration = {
  fileName: 'model.onnx',
  isStacked: undefined,
  inputs: [],
  outputs: [],
  labels: undefined,
  options: {},
  versions: LATEST,
  warmup: [],
  warnings: [],
};

const DATA_TYPES: Readonly<Record<string, DataType>> = {
  TYPE_BOOL: 'bool',
  TYPE_UINT8: 'uint8',
  TYPE_UINT16: 'uint16',
  TYPE_UINT32: 'uint32',
  TYPE_UINT64: 'uint64',
  TYPE_INT8: 'int8',
  TYPE_INT16: 'int16',
  TYPE_INT32: 'int32',
  TYPE_INT64: 'int64',
  TYPE_FP16: 'float16',
  TYPE_FP32: 'float32',
  TYPE_FP64: 'float64',
  TYPE_STRING: 'string',
};

/** Features that change what a model answers: serving it without them would be wrong. */
const UNSERVED = ['sequence_batching', 'ensemble_scheduling'];

/**
 * Reads a `config.pbtxt` of Triton's:
 * https://docs.nvidia.com/deeplearning/triton-inference-server/user-guide/docs/user_guide/model_configuration.html
 *
 * @param folder the model's name, which the configuration may repeat
 * @param devices those of the server
 * @throws {Error} what keeps the model from being served, naming the field
 */
export function readModelConfiguration(
  text: string,
  folder: string,
  devices: readonly string[],
): ModelConfiguration {
  const warnings: string[] = [];
  const fields = new ConfigurationFields(parseConfiguration(text), '', warnings);
  assertServed(fields, folder);
  const maxBatchSize = fields.integer('max_batch_size');
  if (maxBatchSize !== undefined && maxBatchSize < 0)
    throw fields.fault('max_batch_size', 'must not be negative');
  const isStacked = maxBatchSize === undefined ? undefined : maxBatchSize > 0;
  const outputs = fields.messages('output');
  const configuration = {
    fileName: readFileName(fields),
    isStacked,
    inputs: fields.messages('input').map((input) => readInput(input)),
    outputs: outputs.map((output) => readValue(output)),
    labels: readLabels(outputs),
    options: {
      ...(isStacked === true ? { maxBatchSize: maxBatchSize! } : {}),
      ...readDynamicBatching(fields),
      ...readInstanceGroups(fields, devices),
    },
    versions: readVersionPolicy(fields),
    warmup: fields.messages('model_warmup').map((sample) => readWarmup(sample)),
    warnings,
  };
  for (const output of outputs) output.warnOfRest();
  fields.warnOfRest();
  return configuration;
}

function parseConfiguration(text: string) {
  try {
    return parseTextFormat(text);
  } catch (error) {
    throw new Error(`config.pbtxt: ${(error as Error).message}`, { cause: error });
  }
}

function assertServed(fields: ConfigurationFields, folder: string): void {
  const name = fields.text('name');
  if (name !== undefined && name !== folder)
    throw fields.fault('name', `is '${name}', and the folder is '${folder}'`);
  const platform = fields.text('platform') ?? '';
  const backend = fields.text('backend') ?? '';
  if (!['', 'onnxruntime_onnx'].includes(platform)) {
    throw fields.fault('platform', `'${platform}' is not served: it must be onnxruntime_onnx`);
  }
  if (!['', 'onnxruntime'].includes(backend)) {
    throw fields.fault('backend', `'${backend}' is not served: it must be onnxruntime`);
  }
  const unserved = UNSERVED.find((field) => fields.has(field));
  if (unserved !== undefined) throw fields.fault(unserved, 'is not served');
}

function readFileName(fields: ConfigurationFields): string {
  const name = fields.text('default_model_filename') ?? '';
  return plainFileName(fields, 'default_model_filename', name === '' ? NO_CONFIGURATION.fileName : name);
}

/** A file's name, which must not lead out of the model's folder. */
function plainFileName(fields: ConfigurationFields, field: string, name: string): string {
  if (/^[^/\\\0]+$/.test(name) && name !== '.' && name !== '..') return name;
  throw fields.fault(field, `must be the name of a file, not '${name}'`);
}

function readInput(input: ConfigurationFields): DeclaredValue {
  const value = readValue(input);
  // How pictures are laid out is told to people only.
  input.ignore('format');
  input.warnOfRest();
  return value;
}

function readValue(fields: ConfigurationFields): DeclaredValue {
  const name = fields.text('name') ?? '';
  if (name === '') throw fields.fault('name', 'is missing');
  return { name, ...readType(fields), shape: readDims(fields) };
}

function readType(fields: ConfigurationFields): { readonly dtype: DataType } {
  const type = fields.text('data_type') ?? '';
  const dtype = DATA_TYPES[type];
  if (dtype === undefined) {
    throw fields.fault(
      'data_type',
      `'${type}' is not served; it must be one of ${Object.keys(DATA_TYPES).join(', ')}`,
    );
  }
  return { dtype };
}

function readDims(fields: ConfigurationFields): (number | null)[] {
  return fields.integers('dims').map((axis) => {
    if (axis < -1) throw fields.fault('dims', `must be lengths, or -1 for any, not ${axis}`);
    return axis === -1 ? null : axis;
  });
}

function readLabels(outputs: readonly ConfigurationFields[]): ModelConfiguration['labels'] {
  let labels: ModelConfiguration['labels'];
  for (const output of outputs) {
    const fileName = output.text('label_filename') ?? '';
    if (fileName === '') continue;
    if (labels === undefined) {
      const name = output.text('name')!;
      labels = { fileName: plainFileName(output, 'label_filename', fileName), output: name };
    } else output.warn('label_filename', 'is not used: one output has labels already');
  }
  return labels;
}

function readWarmup(sample: ConfigurationFields): Readonly<Record<string, WarmupTensor>> {
  // Batches are made here, of one size and of the largest.
  sample.ignore('name', 'batch_size', 'count');
  const inputs = sample.messages('inputs').map((entry): [string, WarmupTensor] => {
    const input = entry.message('value');
    if (input === undefined) throw entry.fault('value', 'is missing');
    const file = input.text('input_data_file');
    const isRandom = input.flag('random_data');
    input.flag('zero_data');
    const data =
      file !== undefined
        ? { file: plainFileName(input, 'input_data_file', file) }
        : isRandom
          ? 'random'
          : 'zeros';
    const tensor: WarmupTensor = { ...readType(input), shape: readDims(input), data };
    input.warnOfRest();
    return [entry.text('key') ?? '', tensor];
  });
  sample.warnOfRest();
  return Object.fromEntries(inputs);
}
