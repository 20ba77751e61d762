/** Injects the {@link WorkerTransportFactory}: how workers are started. */
export const WORKER_TRANSPORT = Symbol('WORKER_TRANSPORT');
