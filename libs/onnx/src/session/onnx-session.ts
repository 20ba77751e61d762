import type { Tensor } from '#model';
import { fileURLToPath } from 'node:url';
import { InferenceSession, type Tensor as RuntimeTensor } from 'onnxruntime-node';
import { executionProviders } from './execution-providers.js';
import { OnnxError } from './onnx-error.js';
import { onnxValue, type OnnxValue } from './onnx-value.js';
import { fromRuntime, toRuntime } from './runtime-tensor.js';

/** How a session is opened. */
export interface OnnxSessionOptions {
  /** `cpu` or `cuda:N`. */
  readonly device: string;
  /** CPU threads for one run, an integer ≥ 1. */
  readonly intraOpThreads: number;
}

/**
 * One loaded ONNX model on one device.
 *
 * A run blocks the JavaScript thread that it is called on until the model is done, so sessions belong into
 * worker threads. Never terminate a thread that is inside `open()` or `run()`: the runtime then aborts the
 * whole process.
 */
export class OnnxSession {
  /** What the model takes, in the order of its file. */
  readonly inputs: readonly OnnxValue[];
  /** What the model gives, in the order of its file. */
  readonly outputs: readonly OnnxValue[];
  #lastRun: Promise<unknown> = Promise.resolve();
  #release: Promise<void> | undefined;

  private constructor(
    private readonly session: InferenceSession,
    readonly device: string,
  ) {
    this.inputs = session.inputMetadata.map(onnxValue);
    this.outputs = session.outputMetadata.map(onnxValue);
  }

  /**
   * Loads a model file.
   *
   * @throws {RangeError} when `intraOpThreads` is not an integer ≥ 1
   * @throws {OnnxError} `device_unavailable`, `cannot_open` or `unsupported_value`; there is no silent
   * fallback to another device
   */
  static async open(path: string | URL, options: OnnxSessionOptions): Promise<OnnxSession> {
    const { device, intraOpThreads } = options;
    if (!Number.isSafeInteger(intraOpThreads) || intraOpThreads < 1) {
      throw new RangeError(`intraOpThreads must be an integer of at least 1, not ${intraOpThreads}`);
    }
    const file = typeof path === 'string' ? path : fileURLToPath(path);
    const session = await createSession(file, device, intraOpThreads);
    try {
      return new OnnxSession(session, device);
    } catch (error) {
      await session.release();
      throw error;
    }
  }

  /**
   * Runs the model once. Runs of one session follow each other; a run waits for those called before it.
   *
   * @param inputs one tensor an input, batch axis included
   * @returns one tensor an output, batch axis included; each owns its memory
   * @throws {OnnxError} `missing_input`, `unknown_input`, `wrong_dtype`, `wrong_shape`, `run_failed` or
   * `released`
   */
  async run(inputs: Readonly<Record<string, Tensor>>): Promise<Record<string, Tensor>> {
    if (this.#release !== undefined) throw new OnnxError('released', 'the session was released');
    const feeds = this.feeds(inputs);
    const run = this.#lastRun.then(() => this.session.run(feeds));
    // The next run must follow this one also when it fails; its caller gets the failure.
    this.#lastRun = run.catch(() => undefined);
    return this.collect(await run.catch(runFailed));
  }

  /** Frees the model's memory once the runs called so far have ended. Later runs fail with `released`. */
  release(): Promise<void> {
    this.#release ??= this.#lastRun.then(() => this.session.release());
    return this.#release;
  }

  private feeds(inputs: Readonly<Record<string, Tensor>>): Record<string, RuntimeTensor> {
    for (const name of Object.keys(inputs)) {
      if (this.inputs.some((input) => input.name === name)) continue;
      throw new OnnxError('unknown_input', `the model has no input '${name}'; it takes ${this.inputNames()}`);
    }
    return Object.fromEntries(
      this.inputs.map((input) => {
        const tensor = inputs[input.name];
        if (tensor !== undefined) return [input.name, toRuntime(input, tensor)];
        throw new OnnxError(
          'missing_input',
          `input '${input.name}' is missing; the model takes ${this.inputNames()}`,
        );
      }),
    );
  }

  private collect(results: InferenceSession.ReturnType): Record<string, Tensor> {
    return Object.fromEntries(this.outputs.map(({ name }) => [name, fromRuntime(name, results[name]!)]));
  }

  private inputNames(): string {
    return this.inputs.map(({ name }) => `'${name}'`).join(', ') || 'no input';
  }
}

async function createSession(file: string, device: string, threads: number): Promise<InferenceSession> {
  const options: InferenceSession.SessionOptions = {
    executionProviders: executionProviders(device),
    executionMode: 'sequential',
    interOpNumThreads: 1,
    intraOpNumThreads: threads,
    graphOptimizationLevel: 'all',
    // Threads that spin between two runs take the cores that the HTTP thread needs.
    extra: { session: { intra_op: { allow_spinning: '0' } } },
  };
  try {
    return await InferenceSession.create(file, options);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    if (device !== 'cpu' && isAboutDevice(reason)) {
      throw new OnnxError('device_unavailable', `the device '${device}' cannot be used: ${reason}`, {
        cause,
      });
    }
    throw new OnnxError('cannot_open', `'${file}' cannot be opened on '${device}': ${reason}`, { cause });
  }
}

// The runtime has no error codes; these are the words of its messages about providers and their libraries.
function isAboutDevice(reason: string): boolean {
  return /shared library|libonnxruntime_providers|cuda|backend not found|device/i.test(reason);
}

function runFailed(cause: unknown): never {
  const reason = cause instanceof Error ? cause.message : String(cause);
  throw new OnnxError('run_failed', `the model failed: ${reason}`, { cause });
}
