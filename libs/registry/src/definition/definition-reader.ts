import { ServingError, type Fault } from '#model';
import { Inject, Injectable } from '@nestjs/common';
import type { WorkerModelDefinition } from '../model-definition.js';
import { readRestOptions } from '../options/model-options-reader.js';
import { MODEL_NAME_PATTERN, MODEL_NAME_RULE, VERSION_PATTERN, VERSION_RULE } from '../registry.constants.js';
import { SOURCE_KINDS, type SourceFields, type SourceKind } from './source-kind.js';

/** What a client sends to have a model served: where it is, its version, and its options under their REST names. */
export type ModelSettings = Readonly<Record<string, unknown>>;

/** Reads what a client says of a model that it wants served. */
@Injectable()
export class DefinitionReader {
  constructor(@Inject(SOURCE_KINDS) private readonly kinds: readonly SourceKind[]) {}

  /**
   * @param name the model's name, as it stands in the URL
   * @throws {ServingError} `invalid_options`, naming each field and what would be right; no code has run then
   */
  async read(name: string, settings: unknown): Promise<WorkerModelDefinition> {
    if (!MODEL_NAME_PATTERN.test(name)) throw invalid([{ field: 'name', message: MODEL_NAME_RULE }]);
    if (typeof settings !== 'object' || settings === null || Array.isArray(settings)) {
      throw invalid([{ field: 'the body', message: `must be an object with ${this.#choice}` }]);
    }
    const { version, required, ...rest } = settings as Record<string, unknown>;
    const kind = this.#kindOf(rest);
    const fields = takeFields(kind, rest);
    if (version !== undefined && (typeof version !== 'string' || !VERSION_PATTERN.test(version))) {
      throw invalid([{ field: 'version', message: VERSION_RULE }]);
    }
    if (required !== undefined && typeof required !== 'boolean') {
      throw invalid([{ field: 'required', message: 'must be true or false' }]);
    }
    const options = readRestOptions(rest);
    const source = await kind.resolve(fields);
    return {
      name,
      source,
      options,
      ...(version === undefined ? {} : { version }),
      ...(required === undefined ? {} : { required }),
    };
  }

  #kindOf(settings: ModelSettings): SourceKind {
    const named = this.kinds.filter(({ field }) => field in settings);
    const [kind, other] = named;
    if (kind === undefined)
      throw invalid([{ field: this.kinds[0]!.field, message: `is missing: give ${this.#choice}` }]);
    if (other === undefined) return kind;
    throw invalid([{ field: other.field, message: `cannot stand beside ${kind.field}` }]);
  }

  get #choice(): string {
    return this.kinds.map(({ field }) => field).join(' or ');
  }
}

/** Moves the fields of a kind out of `settings`. What is left should be options. */
function takeFields(kind: SourceKind, settings: Record<string, unknown>): SourceFields {
  const types = { [kind.field]: 'string', ...kind.besides };
  const fields: Record<string, unknown> = {};
  const faults: Fault[] = [];
  for (const [field, type] of Object.entries(types)) {
    const value = settings[field];
    delete settings[field];
    if (value === undefined) continue;
    if (typeof value === type) fields[field] = value;
    else faults.push({ field, message: `must be a ${type}` });
  }
  if (faults.length > 0) throw invalid(faults);
  return fields;
}

function invalid(faults: readonly Fault[]): ServingError {
  const message = faults.map(({ field, message: what }) => `${field} ${what}`).join('; ');
  return new ServingError('invalid_options', message, { faults });
}
