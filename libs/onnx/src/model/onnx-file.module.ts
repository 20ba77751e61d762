import { BatchedHandler, modelFactory, WORKER_ID, type BatchContext } from '#model';
import {
  Inject,
  Injectable,
  Logger,
  Module,
  type OnApplicationShutdown,
  type OnModuleInit,
} from '@nestjs/common';
import { basename, dirname, extname, sep } from 'node:path';
import { OnnxSession } from '../session/onnx-session.js';
import { OnnxFileModel } from './onnx-file-model.js';
import type { OnnxModelSettings } from './onnx-model-settings.js';
import { sampleItems } from './sample-items.js';
import type { TensorRecord } from './tensor-record.js';
import { warmupSamples } from './warmup-samples.js';

/** Samples that are made of a file's own description. */
const SAMPLES = 4;
/** Lengths to try for free axes: some models take no short sequences or small pictures, others no long ones. */
const FREE_AXIS_LENGTHS = [16, 64, 256, 1];

const NO_REQUEST = {
  requestId: '',
  parameters: {},
  signal: new AbortController().signal,
  deadline: Infinity,
};

/**
 * The built-in model that serves an ONNX file without any code. Its session is opened while the worker loads, since
 * only that tells what the file takes and gives; one that is not started ends with its worker.
 */
export const onnxFileModule = modelFactory(async (settings: OnnxModelSettings, place) => {
  const { file } = settings;
  const session = await OnnxSession.open(file, place).catch((error: unknown) => {
    throw new Error(plainReason(error, file), { cause: error });
  });
  const model = await OnnxFileModel.of(session, settings);
  const { warmup = [] } = settings;
  const { samples, fault } =
    warmup.length > 0 ? { samples: await warmupSamples(warmup) } : await findSamples(model);
  const notices = [model.layout.notice, fault].filter((notice) => notice !== undefined);

  @Injectable()
  class OnnxFileHandler implements OnModuleInit, OnApplicationShutdown {
    constructor(@Inject(WORKER_ID) private readonly workerId: number) {}

    onModuleInit(): void {
      // Once for the model, not once a worker.
      if (this.workerId === 0) for (const notice of notices) new Logger('OnnxFile').warn(notice);
    }

    @BatchedHandler({ name: basename(file, extname(file)), ...model.options(samples) })
    predict(batch: TensorRecord[], context: BatchContext) {
      return model.predict(batch, context);
    }

    onApplicationShutdown(): Promise<void> {
      return session.release();
    }
  }

  @Module({ providers: [OnnxFileHandler] })
  class OnnxFileModule {}
  return OnnxFileModule;
});

/** Items that the file can run. Without an author nobody knows which lengths or numbers it accepts, so some are tried. */
async function findSamples(
  model: OnnxFileModel,
): Promise<{ samples: readonly TensorRecord[]; fault?: string }> {
  const { inputs, layout } = model;
  const hasFreeAxis = inputs.some(({ shape }) => shape.slice(layout.isStacked ? 1 : 0).includes(null));
  let reason = '';
  for (const length of hasFreeAxis ? FREE_AXIS_LENGTHS : [1]) {
    const samples = sampleItems(inputs, layout, SAMPLES, length);
    try {
      for (const sample of samples) await model.predict([sample], { items: [NO_REQUEST] });
      return { samples };
    } catch (error) {
      reason = (error as Error).message;
    }
  }
  return { samples: [], fault: `not checked at load: no made-up input could be run (${reason})` };
}

/** Says why a file cannot be opened, without its path: clients may read it. */
function plainReason(error: unknown, file: string): string {
  const name = basename(file);
  const reason = (error instanceof Error ? error.message : String(error))
    .replaceAll(file, name)
    .replaceAll(dirname(file) + sep, '')
    .replaceAll(dirname(file), 'its folder');
  if (/file doesn't exist|NO_SUCHFILE/i.test(reason)) return `there is no file '${name}'`;
  if (/protobuf parsing failed|INVALID_PROTOBUF|does not have a graph/i.test(reason)) {
    return `'${name}' is no ONNX model, or is damaged`;
  }
  // The runtime says which path that comes to, and it may be anywhere.
  if (/external data/i.test(reason)) return `'${name}' has weights in a file that does not lie beside it`;
  // Where in the runtime's own sources it says so tells nobody anything.
  return reason.replace(/\/onnxruntime_src\/\S+ .*\) /, '');
}
