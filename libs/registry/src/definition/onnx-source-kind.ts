import type { ModelSource } from '#gpu-pool';
import { Inject, Injectable } from '@nestjs/common';
import { ModelSourceResolver } from '../source/model-source-resolver.js';
import { onnxSource } from '../source/onnx-source.js';
import type { SourceFields, SourceKind } from './source-kind.js';

/** `onnx`, with `labels` and `batched`: an ONNX file, and no code. */
@Injectable()
export class OnnxSourceKind implements SourceKind {
  readonly field = 'onnx';
  readonly besides = { labels: 'string', batched: 'boolean' } as const;

  constructor(@Inject(ModelSourceResolver) private readonly resolver: ModelSourceResolver) {}

  async resolve({ onnx, labels, batched }: SourceFields): Promise<ModelSource> {
    return onnxSource({
      file: await this.resolver.resolveFile('onnx', onnx as string),
      ...(labels === undefined
        ? {}
        : { labels: await this.resolver.resolveFile('labels', labels as string) }),
      ...(batched === undefined ? {} : { isStacked: batched as boolean }),
    });
  }
}
