import type { TensorSpec } from '#model';
import type { KeywordDefinition } from 'ajv';
import type { DataValidateFunction } from 'ajv/dist/types/index.js';
import { readTensor } from './read-tensor.js';
import { TensorFault } from './tensor-fault.js';

/** The JSON Schema keyword `tensor`: checks that a value is such a tensor, and puts the tensor in its place. */
export const TENSOR_KEYWORD: KeywordDefinition = {
  keyword: 'tensor',
  schemaType: 'object',
  modifying: true,
  errors: 'full',
  compile: (spec: TensorSpec) => {
    const validate: DataValidateFunction = (value: unknown, context) => {
      try {
        const { parentData, parentDataProperty } = context!;
        Object.assign(parentData, { [parentDataProperty]: readTensor(spec, value) });
        return true;
      } catch (error) {
        if (!(error instanceof TensorFault)) throw error;
        const { path, message } = error;
        validate.errors = [
          { keyword: 'tensor', instancePath: context!.instancePath + path, message, params: {} },
        ];
        return false;
      }
    };
    return validate;
  },
};
