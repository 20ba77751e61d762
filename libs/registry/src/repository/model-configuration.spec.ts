import { describe, expect, it } from 'vitest';
import { NO_CONFIGURATION, readModelConfiguration } from './model-configuration.js';

const read = (text: string, devices = ['cpu']) => readModelConfiguration(text, 'resnet', devices);

describe("a config.pbtxt of Triton's", () => {
  it('says what the model takes, gives and how it is batched', () => {
    const configuration = read(`
      name: "resnet"
      platform: "onnxruntime_onnx"
      backend: "onnxruntime"
      max_batch_size: 16
      default_model_filename: "resnet50.onnx"
      input [ { name: "pixels" data_type: TYPE_FP32 format: FORMAT_NCHW dims: [ 3, 224, -1 ] } ]
      output [
        { name: "scores" data_type: TYPE_FP32 dims: [ 1000 ] label_filename: "labels.txt" },
        { name: "found" data_type: TYPE_BOOL dims: [ -1 ] }
      ]
      instance_group [ { count: 2 kind: KIND_CPU } ]
      dynamic_batching {
        preferred_batch_size: [ 8, 4, 8 ]
        max_queue_delay_microseconds: 2500
        default_queue_policy { max_queue_size: 64 default_timeout_microseconds: 250000 timeout_action: REJECT }
      }
      version_policy: { latest { num_versions: 2 } }
      model_warmup [
        { name: "zero" batch_size: 1 inputs { key: "pixels" value: { data_type: TYPE_FP32 dims: [3, 224, 224] zero_data: true } } },
        { name: "seen" inputs { key: "pixels" value: { data_type: TYPE_FP32 dims: [3, 224, 224] input_data_file: "cat.raw" } } }
      ]
    `);
    const warmup = { dtype: 'float32', shape: [3, 224, 224] };
    expect(configuration).toEqual({
      fileName: 'resnet50.onnx',
      isStacked: true,
      inputs: [{ name: 'pixels', dtype: 'float32', shape: [3, 224, null] }],
      outputs: [
        { name: 'scores', dtype: 'float32', shape: [1000] },
        { name: 'found', dtype: 'bool', shape: [null] },
      ],
      labels: { fileName: 'labels.txt', output: 'scores' },
      options: {
        maxBatchSize: 16,
        preferredBatchSizes: [4, 8],
        maxWaitMs: 2.5,
        maxQueueSize: 64,
        timeoutMs: 250,
        workers: 2,
        devices: ['cpu'],
      },
      versions: { latest: 2 },
      warmup: [
        { pixels: { ...warmup, data: 'zeros' } },
        { pixels: { ...warmup, data: { file: 'cat.raw' } } },
      ],
      warnings: [],
    });
  });

  it('may be empty: the file says the rest', () => {
    expect(read('')).toEqual(NO_CONFIGURATION);
  });

  it.each([
    ['max_batch_size: 0', { isStacked: false, options: {} }],
    ['max_batch_size: 1', { isStacked: true, options: { maxBatchSize: 1 } }],
    ['dynamic_batching {}', { options: { maxWaitMs: 0 } }],
    [
      'dynamic_batching { default_queue_policy { timeout_action: DELAY default_timeout_microseconds: 5 } }',
      { options: { maxWaitMs: 0 } },
    ],
    ['version_policy { all {} }', { versions: 'all' }],
    ['version_policy: { specific: { versions: [1, 3] } }', { versions: { specific: ['1', '3'] } }],
    ['version_policy { latest {} }', { versions: { latest: 1 } }],
  ])('%s', (text, expected) => {
    expect(read(text)).toMatchObject(expected);
  });

  it.each([
    ['instance_group { count: 3 }', ['cpu'], { workers: 3 }],
    ['instance_group { }', ['cpu'], { workers: 1 }],
    [
      'instance_group { count: 2 kind: KIND_GPU gpus: [0, 1] }',
      ['cuda:0', 'cuda:1'],
      { workers: 4, devices: ['cuda:0', 'cuda:1'] },
    ],
    [
      'instance_group { kind: KIND_GPU }',
      ['cuda:0', 'cuda:1'],
      { workers: 2, devices: ['cuda:0', 'cuda:1'] },
    ],
    ['instance_group { kind: KIND_AUTO gpus: 1 }', ['cuda:0', 'cuda:1'], { workers: 1, devices: ['cuda:1'] }],
    [
      'instance_group [{ kind: KIND_CPU }, { kind: KIND_GPU count: 2 }]',
      ['cpu', 'cuda:0'],
      { workers: 3, devices: ['cpu', 'cuda:0'] },
    ],
  ])('%s on %j', (text, devices, options) => {
    const configuration = read(text, devices);
    expect(configuration.options).toEqual(options);
    expect(configuration.warnings).toEqual([]);
  });

  it('runs a model where the server can, when it cannot where it should', () => {
    const { options, warnings } = read('instance_group { kind: KIND_GPU gpus: [3] count: 2 }');
    expect(options).toEqual({ workers: 2 });
    expect(warnings).toEqual([
      'instance_group.kind asks for cuda:3, which this server does not have: runs on cpu',
    ]);
  });

  it.each([
    ['optimization { cuda { graphs: true } }', 'optimization is not used'],
    ['parameters { key: "x" value { string_value: "y" } }', 'parameters is not used'],
    ['dynamic_batching { preserve_ordering: true }', 'dynamic_batching.preserve_ordering is not used'],
    [
      'dynamic_batching { default_queue_policy { colour: 1 } }',
      'dynamic_batching.default_queue_policy.colour is not used',
    ],
    ['input { name: "x" data_type: TYPE_FP32 dims: 1 reshape { shape: [] } }', 'input.reshape is not used'],
    [
      'output { name: "x" data_type: TYPE_FP32 dims: 1 is_shape_tensor: true }',
      'output.is_shape_tensor is not used',
    ],
    ['instance_group { rate_limiter {} }', 'instance_group.rate_limiter is not used'],
    ['something_new: [1, 2]', 'something_new is not used'],
  ])('%s is told and passed over', (text, warning) => {
    expect(read(text).warnings).toEqual([warning]);
  });

  it.each([
    ['name: "vgg"', "name is 'vgg', and the folder is 'resnet'"],
    ['platform: "tensorrt_plan"', "platform 'tensorrt_plan' is not served: it must be onnxruntime_onnx"],
    ['backend: "python"', "backend 'python' is not served: it must be onnxruntime"],
    ['sequence_batching {}', 'sequence_batching is not served'],
    ['ensemble_scheduling { step {} }', 'ensemble_scheduling is not served'],
    ['max_batch_size: "8"', 'max_batch_size must be an integer'],
    ['max_batch_size: -1', 'max_batch_size must not be negative'],
    [
      'default_model_filename: "../../etc/passwd"',
      "default_model_filename must be the name of a file, not '../../etc/passwd'",
    ],
    ['input { data_type: TYPE_FP32 }', 'input.name is missing'],
    ['input { name: "x" data_type: TYPE_BF16 }', "input.data_type 'TYPE_BF16' is not served"],
    [
      'input { name: "x" data_type: TYPE_FP32 dims: -2 }',
      'input.dims must be lengths, or -1 for any, not -2',
    ],
    [
      'output { name: "x" data_type: TYPE_FP32 label_filename: "/labels" }',
      'output.label_filename must be the name of a file',
    ],
    ['instance_group { count: 0 }', 'instance_group.count must be at least 1'],
    ['instance_group { kind: KIND_TPU }', "instance_group.kind 'KIND_TPU' is not known"],
    ['model_warmup { inputs { key: "x" } }', 'model_warmup.inputs.value is missing'],
    ['name: { }', 'name must be a text'],
    ['version_policy: 3', 'version_policy must be a message in braces'],
    ['input [', "line 1: ':' after input is expected"],
  ])('%s keeps the model from being served', (text, message) => {
    expect(() => read(text)).toThrow(`config.pbtxt: ${message}`);
  });
});
