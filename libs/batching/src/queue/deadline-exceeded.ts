import { ServingError } from '#model';

/** The error of an item that cannot be answered in time any more. */
export function deadlineExceeded(): ServingError {
  return new ServingError(
    'deadline_exceeded',
    'the deadline passed, or would have before the answer was there',
  );
}
