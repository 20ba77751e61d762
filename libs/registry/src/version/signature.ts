import { isTensor, type JsonSchema, type ModelOptions } from '#model';
import { lengthOf } from './item-measures.js';

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
  if (ArrayBuffer.isView(item)) return '';
  return Object.entries(item)
    .map(([name, member]) => [name, shapeSignature(member)])
    .filter(([, signature]) => signature !== '')
    .map(([name, signature]) => `${name}:${signature}`)
    .sort()
    .join();
}
