export * from './circuit-breaker.interceptor.js';
export * from './model-breaker.js';
