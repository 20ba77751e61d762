import { isServingError, type PredictOptions } from '#model';
import { outcomeOf } from '#telemetry';
import { randomUUID } from 'node:crypto';
import type { ModelRegistry } from '../model-registry.js';

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
    const model = this.#registry.resolve(this.#name, this.#version);
    model.metrics.requestReceived();
    try {
      model.assertBreakerCloses();
      const { items, parameters } = model.validate({ data: item, parameters: options.parameters ?? {} });
      const result = await model.predict(items[0], { requestId: randomUUID(), ...options, parameters });
      model.metrics.requestEnded('ok');
      return result as O;
    } catch (error) {
      model.metrics.requestEnded(isServingError(error) ? outcomeOf(error.code) : 'failed');
      throw error;
    }
  }
}
