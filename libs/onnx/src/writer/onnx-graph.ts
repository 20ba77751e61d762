import { elementCount, type ArrayOf, type DataType, type Tensor } from '#model';
import { ELEMENT_TYPES } from './element-type.js';
import { attributeMessage, type OnnxAttribute } from './onnx-attribute.js';
import { bytesOf, ProtobufMessage } from './protobuf-message.js';

/** An axis of a graph's input or output: its length, the name of a free axis, or `null` for one without a name. */
export type OnnxAxis = number | string | null;

/** Attributes of an operator, by name. */
export type OnnxAttributes = Readonly<Record<string, OnnxAttribute>>;

// Old enough for every runtime of the last years to load.
const IR_VERSION = 8;

/**
 * Writes an ONNX model, operator by operator. Values are known by their names, which the methods return.
 *
 * It checks nothing: the runtime does when it opens the model.
 *
 * @example
 * ```ts
 * const graph = new OnnxGraph('square');
 * const x = graph.input('x', 'float32', ['batch', 4]);
 * graph.output(graph.node('Mul', [x, x], {}, 'y'), 'float32', ['batch', 4]);
 * await writeFile('square.onnx', graph.toBytes());
 * ```
 */
export class OnnxGraph {
  readonly #nodes: ProtobufMessage[] = [];
  readonly #constants: ProtobufMessage[] = [];
  readonly #inputs: ProtobufMessage[] = [];
  readonly #outputs: ProtobufMessage[] = [];
  #names = 0;

  /** @param opset the version of the standard operators that the nodes are written in */
  constructor(
    readonly name: string,
    readonly opset = 17,
  ) {}

  /** Declares an input of the model. `shape` includes the batch axis. */
  input(name: string, dtype: DataType, shape: readonly OnnxAxis[]): string {
    this.#inputs.push(valueMessage(name, dtype, shape));
    return name;
  }

  /** Declares a value to be an output of the model. `shape` includes the batch axis. */
  output(name: string, dtype: DataType, shape: readonly OnnxAxis[]): string {
    this.#outputs.push(valueMessage(name, dtype, shape));
    return name;
  }

  /** Adds a constant, such as weights. Its data is read when {@link toBytes} is called. */
  constant(tensor: Tensor, name = this.nextName('constant')): string {
    this.#constants.push(tensorMessage(name, tensor));
    return name;
  }

  /** Adds float32 constants of a shape. */
  weights(shape: readonly number[], data: ArrayOf<'float32'>, name?: string): string {
    return this.constant({ dtype: 'float32', shape, data }, name);
  }

  /** Adds a float32 scalar. */
  scalar(value: number): string {
    return this.weights([], Float32Array.of(value));
  }

  /** Adds a list of int64, as the shapes and axes that operators take. */
  integers(values: readonly number[]): string {
    const data = BigInt64Array.from(values, BigInt);
    return this.constant({ dtype: 'int64', shape: [values.length], data });
  }

  /** Adds an operator with one output, and returns the output's name. An input `''` is one left out. */
  node(
    operator: string,
    inputs: readonly string[],
    attributes: OnnxAttributes = {},
    output?: string,
  ): string {
    const name = output ?? this.nextName(operator.toLowerCase());
    this.nodeWithOutputs(operator, inputs, [name], attributes);
    return name;
  }

  /** Adds an operator with any number of named outputs. */
  nodeWithOutputs(
    operator: string,
    inputs: readonly string[],
    outputs: readonly string[],
    attributes: OnnxAttributes = {},
  ): void {
    const message = new ProtobufMessage();
    for (const input of inputs) message.string(1, input);
    for (const output of outputs) message.string(2, output);
    message.string(4, operator);
    for (const [name, value] of Object.entries(attributes)) message.message(5, attributeMessage(name, value));
    this.#nodes.push(message);
  }

  /** The model as the content of an `.onnx` file: equal calls give equal bytes. */
  toBytes(): Uint8Array {
    const graph = new ProtobufMessage();
    for (const node of this.#nodes) graph.message(1, node);
    graph.string(2, this.name);
    for (const constant of this.#constants) graph.message(5, constant);
    for (const input of this.#inputs) graph.message(11, input);
    for (const output of this.#outputs) graph.message(12, output);
    const standardOperators = new ProtobufMessage().string(1, '').integer(2, this.opset);
    return new ProtobufMessage()
      .integer(1, IR_VERSION)
      .string(2, 'smartbatch')
      .message(7, graph)
      .message(8, standardOperators)
      .toBytes();
  }

  private nextName(prefix: string): string {
    return `${prefix}_${this.#names++}`;
  }
}

function valueMessage(name: string, dtype: DataType, shape: readonly OnnxAxis[]): ProtobufMessage {
  const axes = new ProtobufMessage();
  for (const axis of shape) axes.message(1, axisMessage(axis));
  const tensorType = new ProtobufMessage().integer(1, ELEMENT_TYPES[dtype]).message(2, axes);
  return new ProtobufMessage().string(1, name).message(2, new ProtobufMessage().message(1, tensorType));
}

function axisMessage(axis: OnnxAxis): ProtobufMessage {
  const message = new ProtobufMessage();
  if (axis === null) return message;
  return typeof axis === 'string' ? message.string(2, axis) : message.integer(1, axis);
}

function tensorMessage(name: string, { dtype, shape, data }: Tensor): ProtobufMessage {
  if (data.length !== elementCount(shape)) {
    throw new RangeError(
      `constant '${name}': shape [${shape.join(', ')}] does not fit ${data.length} elements`,
    );
  }
  const message = new ProtobufMessage();
  for (const axis of shape) message.integer(1, axis);
  message.integer(2, ELEMENT_TYPES[dtype]);
  message.string(8, name);
  if (ArrayBuffer.isView(data)) return message.bytes(9, bytesOf(data));
  for (const text of data) message.string(6, text);
  return message;
}
