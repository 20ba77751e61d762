import { createHash } from 'node:crypto';

/** A number from above 0 to 1 that is always the same for the same texts, and spread evenly over texts. */
export function unitHash(...texts: readonly string[]): number {
  const digest = createHash('sha256').update(texts.join('\0')).digest();
  return (digest.readUIntBE(0, 6) + 1) / 2 ** 48;
}
