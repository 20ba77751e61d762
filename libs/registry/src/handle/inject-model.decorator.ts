import { Inject } from '@nestjs/common';

/** The token of the handle to a model; `RegistryModule.forFeature()` provides it. */
export function modelToken(name: string, version?: string): string {
  return `smartbatch.model-handle:${name}${version === undefined ? '' : `:${version}`}`;
}

/** Injects a `ModelHandle` that `RegistryModule.forFeature()` provides. */
export function InjectModel(name: string, version?: string): ParameterDecorator & PropertyDecorator {
  return Inject(modelToken(name, version));
}
