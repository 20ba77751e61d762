export * from './onnx.module.js';
export * from './session/onnx-error.js';
export * from './session/onnx-session.js';
export * from './session/onnx-value.js';
export * from './writer/onnx-attribute.js';
export * from './writer/onnx-graph.js';
export * from './writer/seeded-numbers.js';
