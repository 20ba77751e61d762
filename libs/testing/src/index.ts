export * from './commit-fault.js';
export * from './fault.js';
export * from './fault-folder.js';
export * from './fault-plan.js';
export * from './inject-faults.decorator.js';
export * from './random-faults.js';
