import { ServingError } from '#model';

/**
 * Refuses a body with a content encoding: the body limit counts bytes as they arrive, and a compressed body would slip
 * past it.
 *
 * @throws {ServingError} `unsupported_content_encoding`
 */
export function assertNotEncoded(encoding: string | undefined): void {
  if (encoding === undefined || encoding === 'identity') return;
  const message = `bodies must be sent without a content encoding, not as ${encoding}`;
  throw new ServingError('unsupported_content_encoding', message);
}
