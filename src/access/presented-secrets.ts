import type { IncomingHttpHeaders } from 'node:http';

const BEARER = /^bearer +(?<secret>[\x21-\x7e]+)$/i;

/** The secrets that a request carries: a bearer token, and what `X-API-Key` holds. */
export function presentedSecrets(headers: IncomingHttpHeaders): string[] {
  const { authorization = '', 'x-api-key': key } = headers;
  const bearer = BEARER.exec(authorization)?.groups?.['secret'];
  return [bearer, key].filter((secret) => typeof secret === 'string');
}
