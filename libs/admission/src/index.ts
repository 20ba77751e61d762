export * from './admission.guard.js';
export * from './client-limiter.js';
export * from './request-headers.js';
export * from './serving-error.filter.js';
