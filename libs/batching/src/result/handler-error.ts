import { isServingError, ServingError } from '#model';

/**
 * What an item's client is told of an error that the handler put in the item's slot: the handler made it for
 * this client, so its message is shown.
 */
export function toItemError(error: Error): ServingError {
  if (isServingError(error)) return error;
  return new ServingError('handler_failed', error.message || 'the model failed on this item', {
    cause: error,
  });
}

/**
 * What the clients of a batch are told of an error that the handler threw: its message was not made for them
 * and may name files or other clients' data, so it goes to the log only, as the cause.
 */
export function toBatchError(error: unknown): ServingError {
  if (isServingError(error)) return error;
  return new ServingError('handler_failed', 'the model failed on the batch that held this item', {
    cause: error,
  });
}
