/**
 * Tells that a request has been given up. Every `AbortSignal` is one. The HTTP transport has a leaner one of its
 * own, since making an AbortController costs more than queueing an item does.
 */
export interface CancelSignal {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}
