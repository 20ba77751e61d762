export * from './admission.guard.js';
export * from './request-headers.js';
export * from './serving-error.filter.js';
