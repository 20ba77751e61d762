export * from './logging/logger.js';
export * from './logging/nest-logger.js';
export * from './metrics/inference-metrics.js';
export * from './metrics/model-metrics.js';
export * from './metrics/request-outcome.js';
export * from './metrics/shadow-metrics.js';
export * from './telemetry.module.js';
