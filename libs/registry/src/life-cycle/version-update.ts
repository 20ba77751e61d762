import { ServingError, type Fault, type ModelOptions } from '#model';
import { Inject, Injectable } from '@nestjs/common';
import { isDeepStrictEqual } from 'node:util';
import { RegistryEvents } from '../events/registry-events.js';
import { applyChanges, LIVE_OPTIONS, type ModelOptionChanges } from '../options/model-option-changes.js';
import { effectiveOptions, toRestOptions } from '../options/model-options-reader.js';
import { OPTION_TABLE, type OptionDescription } from '../options/option-table.js';
import { RememberedModels } from '../persistence/remembered-models.js';
import { ModelVersionFactory } from '../version/model-version-factory.js';
import type { ModelVersion } from '../version/model-version.js';
import type { ModelRegistration } from './model-registration.js';

/** Changes the options of a version that serves. */
@Injectable()
export class VersionUpdate {
  constructor(
    @Inject(ModelVersionFactory) private readonly factory: ModelVersionFactory,
    @Inject(RememberedModels) private readonly remembered: RememberedModels,
    @Inject(RegistryEvents) private readonly events: RegistryEvents,
  ) {}

  /**
   * Applies all changes, or none.
   *
   * @throws {ServingError} `invalid_options`, `state_not_saved`
   */
  async apply(registration: ModelRegistration, changes: ModelOptionChanges): Promise<void> {
    const { definition } = registration;
    const served = registration.served!;
    const options = applyChanges(definition.options ?? {}, changes);
    const effective = effectiveOptions(served.manifest.handler, options);
    const changed = OPTION_TABLE.filter(
      ({ name }) => !isDeepStrictEqual(effective[name], served.options[name]),
    );
    assertLive(changed, served);
    const isNewWindow = effective.window !== served.options.window;
    const window = isNewWindow ? this.factory.createWindow(effective.window) : undefined;
    const { name, version } = served;
    const { workers } = served.options;
    const batchSizeLimit = effective.workers > workers ? await served.resize(effective.workers) : Infinity;
    try {
      await this.remembered.change(name, version, (settings) => withOptions(settings, options));
    } catch (error) {
      if (effective.workers > workers) await served.resize(workers);
      throw error;
    }
    served.configure(
      { ...effective, maxBatchSize: Math.min(effective.maxBatchSize, batchSizeLimit) },
      window,
    );
    if (effective.workers < workers) await served.resize(effective.workers);
    registration.redefine({ ...definition, options });
    this.events.emit({ type: 'updated', name, version, options: changed.map((each) => each.name) });
  }
}

function assertLive(changed: readonly OptionDescription[], served: ModelVersion): void {
  const faults = changed
    .filter(({ name }) => !LIVE_OPTIONS.has(name) || (name === 'workers' && !served.isResizable))
    .map(({ restName }): Fault => {
      const message = 'cannot change while the version serves; register it again with replace=true';
      return { field: restName, message };
    });
  if (faults.length === 0) return;
  const message = faults.map((fault) => `${fault.field} ${fault.message}`).join('; ');
  throw new ServingError('invalid_options', message, { faults });
}

/** The settings with these options in the place of their own. */
function withOptions(
  settings: Readonly<Record<string, unknown>>,
  options: Partial<ModelOptions>,
): Record<string, unknown> {
  const names = new Set(OPTION_TABLE.map(({ restName }) => restName.split('.', 1)[0]!));
  const others = Object.entries(settings).filter(([field]) => !names.has(field));
  return { ...Object.fromEntries(others), ...toRestOptions(options) };
}
