export * from './admission.guard.js';
export * from './request-headers.js';
