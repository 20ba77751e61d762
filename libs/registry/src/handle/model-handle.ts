import { isServingError, type PredictOptions } from '#model';
import { outcomeOf, type RequestOutcome } from '#telemetry';
import { randomUUID } from 'node:crypto';
import type { ModelRegistry } from '../model-registry.js';
import type { ModelVersion } from '../version/model-version.js';

/**
 * Calls a model from inside the application, one item at a time; batching happens by itself. The model is
 * looked up at each call, so a handle outlives replacements of its model.
 */
export class ModelHandle<I, O> {
  readonly #registry: ModelRegistry;
  readonly #name: string;
  readonly #version: string | undefined;

  constructor(registry: ModelRegistry, name: string, version?: string) {
    this.#registry = registry;
    this.#name = name;
    this.#version = version;
  }

  /**
   * @param item the input, in the form in which the handler wants it: a `Tensor` where it wants a tensor
   * @throws {ServingError} whatever a client over HTTP would be answered with
   */
  async predict(item: I, options: PredictOptions = {}): Promise<O> {
    const { requestId = randomUUID() } = options;
    const model = this.#registry.resolve(this.#name, this.#version, { id: requestId });
    model.metrics.requestReceived();
    try {
      const result = await model.predict(...admit(model, item, { ...options, requestId }));
      model.metrics.requestEnded('ok');
      return result as O;
    } catch (error) {
      model.metrics.requestEnded(outcomeOfFailure(model, error));
      throw error;
    }
  }

  /**
   * The tokens of a streaming model one by one, or the one result of another. Nothing starts before the first is
   * asked for; leaving the loop ends the item at once.
   *
   * @param item as for {@link predict}
   * @throws {ServingError} in the loop, whatever a client over HTTP would be answered with
   */
  async *stream(item: I, options: PredictOptions = {}): AsyncGenerator<O, void, void> {
    const { requestId = randomUUID() } = options;
    const model = this.#registry.resolve(this.#name, this.#version, { id: requestId });
    model.metrics.requestReceived();
    // What stays when the caller leaves the loop.
    let outcome: RequestOutcome = 'cancelled';
    try {
      yield* model.stream(...admit(model, item, { ...options, requestId })) as AsyncIterable<O>;
      outcome = 'ok';
    } catch (error) {
      outcome = outcomeOfFailure(model, error);
      throw error;
    } finally {
      model.metrics.requestEnded(outcome);
    }
  }
}

/** Does for a call from inside what guards and pipes do for a request over HTTP. */
function admit(model: ModelVersion, item: unknown, options: PredictOptions): [unknown, PredictOptions] {
  model.assertBreakerCloses();
  model.assertAdmits(1, options);
  const { items, parameters } = model.validate({ data: item, parameters: options.parameters ?? {} });
  return [items[0], { ...options, parameters }];
}

function outcomeOfFailure({ metrics }: ModelVersion, error: unknown): RequestOutcome {
  if (!isServingError(error)) return 'failed';
  const outcome = outcomeOf(error.code);
  if (outcome === 'rejected') metrics.requestRefused(error.code);
  return outcome;
}
