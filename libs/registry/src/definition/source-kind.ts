import type { ModelSource } from '#gpu-pool';

/** Injects every {@link SourceKind} there is. */
export const SOURCE_KINDS = Symbol('SOURCE_KINDS');

/** The fields with which a client names one kind of source. */
export type SourceFields = Readonly<Record<string, unknown>>;

/** One way in which a client can say where a model is. */
export interface SourceKind {
  /** The field that chooses this kind. */
  readonly field: string;
  /** Fields that may stand beside it, each with the JSON type of its value. */
  readonly besides: Readonly<Record<string, 'string' | 'boolean'>>;
  /**
   * Finds the model, without running any of it.
   *
   * @param fields values of the types above
   * @throws {ServingError} `invalid_options`, naming the field
   */
  resolve(fields: SourceFields): Promise<ModelSource>;
}
