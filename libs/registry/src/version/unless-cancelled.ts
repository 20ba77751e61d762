/** Settles as `step` does, or rejects at once with the reason for which the load was given up. */
export async function unlessCancelled<T>(step: Promise<T>, cancelled: AbortSignal): Promise<T> {
  cancelled.throwIfAborted();
  let onAbort!: () => void;
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(cancelled.reason as Error);
    cancelled.addEventListener('abort', onAbort);
  });
  try {
    return await Promise.race([step, aborted]);
  } finally {
    cancelled.removeEventListener('abort', onAbort);
  }
}
