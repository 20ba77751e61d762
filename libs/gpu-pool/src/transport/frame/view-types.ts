type ViewConstructor = new (buffer: ArrayBuffer, byteOffset: number, length: number) => ArrayBufferView;

/** Every kind of view on a buffer. A frame names a kind by its place here. */
const VIEW_TYPES: readonly ViewConstructor[] = [
  DataView,
  Int8Array,
  Uint8Array,
  Uint8ClampedArray,
  Int16Array,
  Uint16Array,
  Int32Array,
  Uint32Array,
  Float32Array,
  Float64Array,
  BigInt64Array,
  BigUint64Array,
  // Node 24 has it, and V8 makes one wherever it can.
  ...float16Array(),
];

/** The number of a view's kind. A subclass, such as Node's Buffer, is what it extends. */
export function viewTypeOf(view: ArrayBufferView): number {
  return VIEW_TYPES.findIndex((type) => view instanceof type);
}

/** The bytes that one element of a kind takes. */
export function elementBytes(type: number): number {
  return (VIEW_TYPES[type] as { BYTES_PER_ELEMENT?: number }).BYTES_PER_ELEMENT ?? 1;
}

/** A view of that kind. */
export function createView(
  type: number,
  buffer: ArrayBuffer,
  byteOffset: number,
  byteLength: number,
): ArrayBufferView {
  return new VIEW_TYPES[type]!(buffer, byteOffset, byteLength / elementBytes(type));
}

function float16Array(): ViewConstructor[] {
  const { Float16Array } = globalThis as { Float16Array?: ViewConstructor };
  return Float16Array === undefined ? [] : [Float16Array];
}
