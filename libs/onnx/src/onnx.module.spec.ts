import { DEVICE, MODEL_INFO, tensor, type ModelInfo } from '#model';
import { Global, Inject, Injectable, Module, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OnnxModule } from './onnx.module.js';
import { OnnxSession } from './session/onnx-session.js';
import { OnnxGraph } from './writer/onnx-graph.js';

let folder: string;
let file: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'smartbatch-onnx-module-'));
  file = join(folder, 'negate.onnx');
  const graph = new OnnxGraph('negate');
  graph.output(graph.node('Neg', [graph.input('x', 'float32', ['batch'])], {}, 'y'), 'float32', ['batch']);
  await writeFile(file, graph.toBytes());
});

afterAll(() => rm(folder, { recursive: true, force: true }));

@Injectable()
class Negator {
  constructor(readonly session: OnnxSession) {}
}

function start(module: Type) {
  return NestFactory.createApplicationContext(module, { logger: false, abortOnError: false });
}

describe('OnnxModule', () => {
  it('opens the file on the CPU outside a worker, and releases it on close', async () => {
    @Module({ imports: [OnnxModule.forFile(file)], providers: [Negator] })
    class NegatorModule {}
    const app = await start(NegatorModule);
    const { session } = app.get(Negator);
    expect(session.device).toBe('cpu');
    const { y } = await session.run({ x: tensor('float32', [2], Float32Array.of(1, -2)) });
    expect(y).toEqual(tensor('float32', [2], Float32Array.of(-1, 2)));
    await app.close();
    await expect(session.run({})).rejects.toMatchObject({ code: 'released' });
  });

  it('opens the file on the device of the worker', async () => {
    const info: ModelInfo = { name: 'negate', version: '1', intraOpThreads: 2 };
    @Global()
    @Module({
      providers: [
        { provide: DEVICE, useValue: 'cuda:999' },
        { provide: MODEL_INFO, useValue: info },
      ],
      exports: [DEVICE, MODEL_INFO],
    })
    class WorkerModule {}
    @Module({ imports: [WorkerModule, OnnxModule.forFile(file)], providers: [Negator] })
    class NegatorModule {}
    await expect(start(NegatorModule)).rejects.toMatchObject({ code: 'device_unavailable' });
  });

  it('opens several files for one model', async () => {
    const [encoder, decoder] = [Symbol('encoder'), Symbol('decoder')];
    @Injectable()
    class TwoFiles {
      constructor(
        @Inject(encoder) readonly first: OnnxSession,
        @Inject(decoder) readonly second: OnnxSession,
      ) {}
    }
    @Module({
      imports: [OnnxModule.forFile(file, encoder), OnnxModule.forFile(file, decoder)],
      providers: [TwoFiles],
    })
    class TwoFilesModule {}
    const app = await start(TwoFilesModule);
    const pair = app.get(TwoFiles);
    expect(pair.first).toBeInstanceOf(OnnxSession);
    expect(pair.first).not.toBe(pair.second);
    await app.close();
  });
});
