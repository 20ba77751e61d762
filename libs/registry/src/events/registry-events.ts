import { LOGGER } from '#telemetry';
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import type { RegistryEvent, RegistryListener } from './registry-event.js';

/**
 * Tells other modules what happens to the models.
 *
 * Not an rxjs `Subject`: rxjs throws what a subscriber throws again from a timer, where nothing can catch it, and one
 * faulty listener would end the server.
 *
 * @example
 * ```ts
 * constructor(events: RegistryEvents) {
 *   events.subscribe((event) => {
 *     if (event.type === 'failed') this.pager.call(event.reason);
 *   });
 * }
 * ```
 */
@Injectable()
export class RegistryEvents {
  readonly #listeners = new Set<RegistryListener>();

  constructor(@Inject(LOGGER) private readonly logger: Logger) {}

  /** Returns a function that ends the subscription. */
  subscribe(listener: RegistryListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Tells every listener. Never throws. */
  emit(event: RegistryEvent): void {
    for (const listener of this.#listeners) void this.#tell(listener, event);
  }

  async #tell(listener: RegistryListener, event: RegistryEvent): Promise<void> {
    try {
      await listener(event);
    } catch (error) {
      this.logger.error({ err: error, event }, 'a listener of the registry failed');
    }
  }
}
