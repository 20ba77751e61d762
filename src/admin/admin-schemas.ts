import { optionsSchema } from '#registry';

const text = { type: 'string' } as const;

/** The body with which a version is registered, for the API description. */
export const REGISTRATION_SCHEMA = {
  type: 'object',
  properties: {
    module: { ...text, description: 'A path inside one of the model paths, or a package. This or `onnx`.' },
    function: { ...text, description: 'The export. Default: the only one that can be a model.' },
    handler: { ...text, description: 'The `@BatchedHandler()` by its name, where there are several.' },
    onnx: { ...text, description: 'The path of an ONNX file. This or `module`.' },
    labels: { ...text, description: 'Beside `onnx`: a file with the names of the classes.' },
    batched: { type: 'boolean', description: 'Beside `onnx`: whether the first axis is the batch.' },
    version: { ...text, description: "Default: the model's own, else `1`." },
    required: { type: 'boolean', default: false, description: 'Whether the server is not ready without it.' },
    ...optionsSchema(),
  },
} as const;

/** The body with which options are changed, for the API description. */
export const CHANGE_SCHEMA = { type: 'object', properties: optionsSchema() } as const;
