import { isTensor, type JsonSchema } from '#model';

/** Finds out which items may share a batch. */
export type SignatureOf = (item: unknown) => string;

/**
 * Makes the signature function of a model: items whose tensors differ in dtype or shape must not meet in a
 * batch. Where the input description leaves nothing open, every item has the same signature.
 */
export function signatureFor(input: JsonSchema): SignatureOf {
  const open = Object.keys(input).length === 0 || hasFreeAxis(input);
  return open ? signatureOf : () => '';
}

function hasFreeAxis(schema: unknown): boolean {
  if (typeof schema !== 'object' || schema === null) return false;
  if ('tensor' in schema) return (schema as JsonSchema).tensor!.shape.includes(null);
  return Object.values(schema).some(hasFreeAxis);
}

function signatureOf(item: unknown): string {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return '';
  if (isTensor(item)) return `${item.dtype}[${item.shape.join()}]`;
  if (ArrayBuffer.isView(item)) return '';
  return Object.entries(item)
    .map(([name, member]) => [name, signatureOf(member)])
    .filter(([, signature]) => signature !== '')
    .map(([name, signature]) => `${name}:${signature}`)
    .sort()
    .join();
}
