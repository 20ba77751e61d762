import { ServingError, type PredictOptions } from '#model';

/** A header as Node gives it. */
type HeaderValue = string | string[] | undefined;

const LOWEST_PRIORITY = 10;

/**
 * What the headers of a request say of how it is to be served.
 *
 * @throws {ServingError} `invalid_header`
 */
export function readRequestHeaders(
  headers: Readonly<Record<string, HeaderValue>>,
): Required<Pick<PredictOptions, 'timeoutMs' | 'priority'>> {
  return {
    timeoutMs: readTimeout(headers['x-request-timeout']),
    priority: readPriority(headers['x-request-priority']),
  };
}

/** `X-Request-Timeout` in milliseconds; infinite when the client leaves it to the model. */
function readTimeout(header: HeaderValue): number {
  if (header === undefined) return Infinity;
  const seconds = Number(header);
  if (seconds > 0 && Number.isFinite(seconds)) return seconds * 1000;
  throw invalid('X-Request-Timeout', 'a number of seconds above 0', header);
}

/** `X-Request-Priority`: 1 is the highest, 0 the default. */
function readPriority(header: HeaderValue): number {
  if (header === undefined) return 0;
  const priority = Number(header);
  if (header !== '' && Number.isInteger(priority) && priority >= 0 && priority <= LOWEST_PRIORITY)
    return priority;
  throw invalid('X-Request-Priority', `an integer from 0 to ${LOWEST_PRIORITY}`, header);
}

function invalid(name: string, expected: string, header: HeaderValue): ServingError {
  return new ServingError('invalid_header', `${name} must be ${expected}, not '${String(header)}'`);
}
