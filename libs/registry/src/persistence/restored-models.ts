import { isServingError, type ServingError } from '#model';
import { LOGGER } from '#telemetry';
import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { Logger } from 'pino';
import { DefinitionReader } from '../definition/definition-reader.js';
import { ModelRegistration } from '../life-cycle/model-registration.js';
import { Registrations } from '../life-cycle/registrations.js';
import type { ModelDefinition } from '../model-definition.js';
import { ModelRegistry } from '../model-registry.js';
import type { StoredModel } from './registry-store.js';
import { RememberedModels } from './remembered-models.js';

/**
 * Registers the models again that were registered before a restart. What is configured goes before them. One that
 * cannot be had any more stays listed as failed, and is tried again at the next start.
 */
@Injectable()
export class RestoredModels implements OnApplicationBootstrap {
  constructor(
    @Inject(RememberedModels) private readonly remembered: RememberedModels,
    @Inject(DefinitionReader) private readonly reader: DefinitionReader,
    @Inject(ModelRegistry) private readonly registry: ModelRegistry,
    @Inject(Registrations) private readonly registrations: Registrations,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    for (const model of this.remembered.all) void this.#restore(model);
  }

  async #restore(model: StoredModel): Promise<void> {
    const { name, version, settings } = model;
    try {
      const definition = await this.#read(model);
      await this.registry.register(definition, { keepFailure: true, remember: settings });
    } catch (error) {
      if (isServingError(error) && error.code === 'model_exists') {
        this.logger.warn(
          { model: name, version },
          'it is configured: what was registered at run time is dropped',
        );
        await this.remembered.forget(name, version).catch(() => undefined);
      } else {
        this.logger.error(
          { err: error, model: name, version },
          'a model that was registered is not served again',
        );
      }
    }
  }

  /** Reads its settings anew: its folder may have been taken off the allowed ones. */
  async #read({ name, version, settings }: StoredModel): Promise<ModelDefinition> {
    try {
      return await this.reader.read(name, { ...settings, version });
    } catch (error) {
      // It has not come as far as the registry, which lists what fails later.
      const failed = new ModelRegistration({ name, version, source: { specifier: `unresolved:${name}` } });
      failed.fail(error as ServingError);
      this.registrations.addFailure(failed);
      throw error;
    }
  }
}
