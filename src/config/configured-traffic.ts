import { isServingError } from '#model';
import { readTraffic, type ModelDefinition, type Traffic } from '#registry';
import { SettingError } from './setting-error.js';

/**
 * Reads the traffic rules that stand beside a model's settings in a configuration file.
 *
 * @param models as they stand in the file
 * @param definitions what they say beside that
 * @throws {SettingError} naming what is not right, such as a version that is not configured
 */
export function readConfiguredTraffic(
  models: object,
  definitions: readonly ModelDefinition[],
  file: string,
): Record<string, Traffic> {
  const rules = Object.entries(models as Readonly<Record<string, { readonly traffic?: unknown }>>)
    .filter(([, { traffic }]) => traffic !== undefined)
    .map(([name, { traffic }]) => {
      const versions = definitions.filter((each) => each.name === name).map(({ version }) => version);
      // Without a version in the file only the model knows it.
      const isKnown = (version: string) => versions.includes(version) || versions.includes(undefined);
      try {
        return [name, readTraffic(traffic, isKnown, 'configured')] as const;
      } catch (error) {
        if (isServingError(error))
          throw new SettingError(`${file}: models.${name}.traffic: ${error.message}`);
        throw error;
      }
    });
  return Object.fromEntries(rules);
}
