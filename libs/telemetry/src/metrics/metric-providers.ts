import { makeCounterProvider, makeGaugeProvider, makeHistogramProvider } from '@willsoto/nestjs-prometheus';

export const REQUESTS_RECEIVED = 'smartbatch_requests_received_total';
export const REQUESTS_ENDED = 'smartbatch_requests_total';
export const REQUESTS_REFUSED = 'smartbatch_requests_refused_total';
export const BODIES_READ = 'smartbatch_bodies_read_total';
export const BODIES_PARSED = 'smartbatch_bodies_parsed_total';
export const REQUESTS_IN_FLIGHT = 'smartbatch_requests_in_flight';
export const BATCH_SIZE = 'smartbatch_batch_size';
export const BATCH_RUN = 'smartbatch_batch_run_seconds';
export const BATCHES = 'smartbatch_batches_total';
export const BATCHES_FAILED = 'smartbatch_batches_failed_total';
export const QUEUE_WAIT = 'smartbatch_queue_wait_seconds';
export const QUEUE_SIZE = 'smartbatch_queue_size';
export const LANES = 'smartbatch_lanes';
export const WORKERS_HUNG = 'smartbatch_workers_hung';
export const WORKER_RESTARTS = 'smartbatch_worker_restarts_total';
export const SHADOW_REQUESTS = 'smartbatch_shadow_requests_total';
export const BREAKER_STATE = 'smartbatch_breaker_state';

const labelNames = ['model', 'version'];

/** 0.1 ms to 100 s: an in-process echo and a large model on a busy machine both fall inside. */
const SECONDS = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 30, 100,
];

/** The metrics of the server; `docs/metrics.md` says how to read them. */
export const METRIC_PROVIDERS = [
  makeCounterProvider({ name: REQUESTS_RECEIVED, help: 'Requests received.', labelNames }),
  makeCounterProvider({
    name: REQUESTS_ENDED,
    help: 'Requests ended, by outcome: ok, failed, rejected, cancelled, expired.',
    labelNames: [...labelNames, 'outcome'],
  }),
  makeCounterProvider({
    name: REQUESTS_REFUSED,
    help: 'Requests that never reached the model, by code.',
    labelNames: [...labelNames, 'code'],
  }),
  makeCounterProvider({ name: BODIES_READ, help: 'Request bodies that were read to their end.', labelNames }),
  makeCounterProvider({ name: BODIES_PARSED, help: 'Request bodies that were parsed.', labelNames }),
  makeCounterProvider({
    name: SHADOW_REQUESTS,
    help: 'Copies of requests sent to a shadow version, by outcome: as for requests, or dropped.',
    labelNames: [...labelNames, 'outcome'],
  }),
  makeGaugeProvider({ name: REQUESTS_IN_FLIGHT, help: 'Requests received and not ended.', labelNames }),
  makeHistogramProvider({
    name: BATCH_SIZE,
    help: 'Items in a batch.',
    labelNames,
    buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512],
  }),
  makeHistogramProvider({
    name: BATCH_RUN,
    help: 'Time from the hand-over of a batch to its end.',
    labelNames,
    buckets: SECONDS,
  }),
  makeCounterProvider({
    name: BATCHES,
    help: 'Batches ended, by why they started: full, window, retry, step.',
    labelNames: [...labelNames, 'trigger'],
  }),
  makeCounterProvider({
    name: BATCHES_FAILED,
    help: 'Batches that failed as a whole, by code.',
    labelNames: [...labelNames, 'code'],
  }),
  makeHistogramProvider({
    name: QUEUE_WAIT,
    help: "Time from an item's arrival to the start of its batch.",
    labelNames,
    buckets: SECONDS,
  }),
  makeGaugeProvider({ name: QUEUE_SIZE, help: 'Items that wait now.', labelNames }),
  makeGaugeProvider({ name: LANES, help: 'Lanes that are alive now.', labelNames }),
  makeGaugeProvider({
    name: WORKERS_HUNG,
    help: 'Workers that were given up and have not ended.',
    labelNames,
  }),
  makeCounterProvider({
    name: WORKER_RESTARTS,
    help: 'Workers replaced, by why: died, hung, exhausted, recycled.',
    labelNames: [...labelNames, 'reason'],
  }),
  makeGaugeProvider({
    name: BREAKER_STATE,
    help: 'The circuit breaker now: 0 closed, 1 half-open, 2 open.',
    labelNames,
  }),
];
