import type { ModelSource } from '#gpu-pool';
import { Inject, Injectable } from '@nestjs/common';
import { ModelSourceResolver, type ModelReference } from '../source/model-source-resolver.js';
import type { SourceFields, SourceKind } from './source-kind.js';

/** `module`, with `function` and `handler`: a Nest module or a plain function. */
@Injectable()
export class ModuleSourceKind implements SourceKind {
  readonly field = 'module';
  readonly besides = { function: 'string', handler: 'string' } as const;

  constructor(@Inject(ModelSourceResolver) private readonly resolver: ModelSourceResolver) {}

  resolve(fields: SourceFields): Promise<ModelSource> {
    return this.resolver.resolve(fields as unknown as ModelReference);
  }
}
