export * from './admission.guard.js';
