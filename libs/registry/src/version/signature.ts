import { isTensor, SerializedItem, type JsonSchema, type ModelOptions, lengthOf } from '#model';

/** Finds out which items may share a batch: those with equal signatures. */
export type SignatureOf = (item: unknown, parameters: Readonly<Record<string, unknown>>) => string;

type Grouping = Pick<ModelOptions, 'lengthBuckets' | 'matchParameters'>;

/**
 * Makes the signature function of a model. Items whose tensors differ in dtype or shape must not meet in a
 * batch, unless the model has length buckets; nor items that differ in a parameter which the model says must
 * match. Where the input description leaves nothing open, every item has the same signature.
 */
export function signatureFor(input: JsonSchema, { lengthBuckets, matchParameters }: Grouping): SignatureOf {
  const byShape = Object.keys(input).length === 0 || hasFreeAxis(input) ? shapeSignature : () => '';
  const byItem = lengthBuckets === undefined ? byShape : (item: unknown) => bucketOf(item, lengthBuckets);
  if (matchParameters === undefined) return byItem;
  return (item, parameters) =>
    JSON.stringify([byItem(item), ...matchParameters.map((name) => parameters[name] ?? null)]);
}

function bucketOf(item: unknown, buckets: readonly number[]): string {
  const length = lengthOf(item);
  return String(buckets.find((bucket) => length <= bucket) ?? 'longer');
}

function hasFreeAxis(schema: unknown): boolean {
  if (typeof schema !== 'object' || schema === null) return false;
  const { tensor } = schema as JsonSchema;
  // A property may be called tensor too.
  if (Array.isArray(tensor?.shape)) return tensor.shape.includes(null);
  return Object.values(schema).some(hasFreeAxis);
}

function shapeSignature(item: unknown): string {
  if (typeof item !== 'object' || item === null) return '';
  if (isTensor(item)) return `${item.dtype}[${item.shape.join()}]`;
  // Only what holds no tensor is serialized.
  if (ArrayBuffer.isView(item) || item instanceof SerializedItem) return '';
  const signatures: string[] = [];
  // Of a list, only what can hold a tensor is given a name: it may hold a million numbers.
  const names = Array.isArray(item) ? indicesOfObjects(item) : Object.keys(item);
  for (const name of names) {
    const signature = shapeSignature((item as Record<string | number, unknown>)[name]);
    if (signature !== '') signatures.push(`${name}:${signature}`);
  }
  return signatures.sort().join();
}

function indicesOfObjects(list: readonly unknown[]): number[] {
  const indices: number[] = [];
  for (let index = 0; index < list.length; index++) if (typeof list[index] === 'object') indices.push(index);
  return indices;
}
