/**
 * Every error that a client can be answered with: its stable `code`, the HTTP status that it maps to, and a
 * title that does not change from case to case (RFC 9457).
 */
export const ERROR_CODES = {
  unreadable_body: { status: 400, title: 'The body cannot be read' },
  invalid_url: { status: 400, title: 'The URL cannot be read' },
  invalid_header: { status: 400, title: 'A header has an invalid value' },
  unauthorized: { status: 401, title: 'Authentication is required' },
  forbidden: { status: 403, title: 'Not allowed' },
  not_found: { status: 404, title: 'Not found' },
  model_not_found: { status: 404, title: 'No such model' },
  version_not_found: { status: 404, title: 'No such model version' },
  model_exists: { status: 409, title: 'The model version exists already' },
  body_too_large: { status: 413, title: 'The body is too large' },
  cost_too_large: { status: 413, title: 'The input is too large for a batch' },
  url_too_long: { status: 414, title: 'The URL is too long' },
  unsupported_media_type: { status: 415, title: 'The content type is not supported' },
  unsupported_content_encoding: { status: 415, title: 'The content encoding is not supported' },
  invalid_input: { status: 422, title: 'The input does not fit the model' },
  invalid_options: { status: 422, title: 'An option is invalid' },
  model_not_loadable: { status: 422, title: 'The model cannot be loaded' },
  queue_full: { status: 429, title: 'The queue is full' },
  predicted_late: { status: 429, title: 'The answer would come too late' },
  concurrency_limited: { status: 429, title: 'The client has too many requests in flight' },
  rate_limited: { status: 429, title: 'The client asks too often' },
  refused: { status: 400, title: 'The request was refused' },
  cancelled: { status: 499, title: 'The client left' },
  slow_reader: { status: 499, title: 'The client read too slowly' },
  handler_failed: { status: 500, title: 'The model failed' },
  non_finite_output: { status: 500, title: 'The result holds a number that JSON cannot carry' },
  internal: { status: 500, title: 'Internal error' },
  state_not_saved: { status: 500, title: 'The change could not be saved' },
  contract_violation: { status: 502, title: 'The model broke its contract' },
  model_not_ready: { status: 503, title: 'The model is not ready' },
  model_removed: { status: 503, title: 'The model is being removed' },
  worker_died: { status: 503, title: 'The worker died' },
  no_worker: { status: 503, title: 'No worker is alive' },
  breaker_open: { status: 503, title: 'The model keeps failing' },
  draining: { status: 503, title: 'The server is stopping' },
  run_timeout: { status: 504, title: 'The model hangs' },
  deadline_exceeded: { status: 504, title: 'The deadline passed' },
} as const;

/** A stable name for a kind of error. */
export type ErrorCode = keyof typeof ERROR_CODES;
