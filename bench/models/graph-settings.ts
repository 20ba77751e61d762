/*
 * What the module of a generic graph is told by its environment: a worker has no other way to hear of it before
 * its module is imported.
 */

/** The ONNX file. */
export const GRAPH = process.env['GRAPH'] ?? '';

/** Axis lengths of one item. */
export const GRAPH_SHAPE = (process.env['GRAPH_SHAPE'] ?? '').split(',').map(Number);

/** What clients send: numbers as the graph takes them, or the bytes of pictures. */
export const GRAPH_DTYPE = process.env['GRAPH_DTYPE'] === 'uint8' ? 'uint8' : 'float32';

/** CPU threads of one run; `undefined` for what the server gives. */
export const GRAPH_THREADS = process.env['GRAPH_THREADS'] && Number(process.env['GRAPH_THREADS']);
