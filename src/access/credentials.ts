import type { ClientLimits } from '#admission';
import { createHash, timingSafeEqual } from 'node:crypto';

/** A secret that somebody may present, known by its hash alone. */
export interface Credential {
  /** For logs and limits. */
  readonly name: string;
  /** SHA-256. */
  readonly hash: Buffer;
  /** How much of the server its holder may use. */
  readonly limits?: ClientLimits;
}

/** SHA-256 of a secret. */
export function hashOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

/**
 * The credential whose secret this is. Takes the same time whichever it is, or none: what is compared are hashes, in
 * constant time, and all of them.
 */
export function findCredential(credentials: readonly Credential[], secret: string): Credential | undefined {
  const hash = hashOf(secret);
  let found: Credential | undefined;
  for (const credential of credentials) if (timingSafeEqual(credential.hash, hash)) found = credential;
  return found;
}
