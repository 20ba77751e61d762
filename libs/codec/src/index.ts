export * from './assert-not-encoded.js';
export * from './codec.js';
export * from './codecs.js';
export * from './json-codec.js';
export * from './message-pack-codec.js';
export * from './schema/checked-body.js';
export * from './schema/input-validator.js';
export * from './schema/predict-envelope.js';
