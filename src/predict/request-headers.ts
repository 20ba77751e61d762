import { ServingError } from '#model';

type HeaderValue = string | string[] | undefined;

const LOWEST_PRIORITY = 10;

/** `X-Request-Timeout` in milliseconds; infinite when the client leaves it to the model. */
export function readTimeout(header: HeaderValue): number {
  if (header === undefined) return Infinity;
  const seconds = Number(header);
  if (seconds > 0 && Number.isFinite(seconds)) return seconds * 1000;
  throw invalid('X-Request-Timeout', 'a number of seconds above 0', header);
}

/** `X-Request-Priority`: 1 is the highest, 0 the default. */
export function readPriority(header: HeaderValue): number {
  if (header === undefined) return 0;
  const priority = Number(header);
  if (header !== '' && Number.isInteger(priority) && priority >= 0 && priority <= LOWEST_PRIORITY)
    return priority;
  throw invalid('X-Request-Priority', `an integer from 0 to ${LOWEST_PRIORITY}`, header);
}

function invalid(name: string, expected: string, header: HeaderValue): ServingError {
  return new ServingError('invalid_header', `${name} must be ${expected}, not '${String(header)}'`);
}
