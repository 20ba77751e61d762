import type { TypedArray } from './data-type.js';

/** Values whose typed arrays all lie in one buffer, ready to be posted with that buffer transferred. */
export interface PackedValues {
  readonly values: readonly unknown[];
  readonly transfer: ArrayBuffer[];
}

/** Every element type starts at a multiple of its own width; 8 is the widest. */
const ALIGNMENT = 8;

/**
 * Copies every typed array of a batch into one fresh buffer, so that one transfer moves them all and no
 * sender's buffer, which may be pooled or in use, is taken away.
 *
 * Arrays that stand at one place of each value lie one behind the other: a model can take the whole column as
 * its stacked input without another copy. The values themselves are not changed.
 */
export function packArrays(values: readonly unknown[]): PackedValues {
  const found = values.map((value) => collectArrays(value, []));
  const order = columnOrder(found);
  if (order.length === 0) return { values, transfer: [] };
  const offsets = new Map<TypedArray, number>();
  let end = 0;
  let previous: TypedArray | undefined;
  for (const array of order) {
    const continuesRow =
      previous?.constructor === array.constructor && previous.byteLength === array.byteLength;
    if (!continuesRow) end = Math.ceil(end / ALIGNMENT) * ALIGNMENT;
    offsets.set(array, end);
    end += array.byteLength;
    previous = array;
  }
  const buffer = new ArrayBuffer(end);
  const bytes = new Uint8Array(buffer);
  for (const [array, offset] of offsets) {
    bytes.set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength), offset);
  }
  const packed = values.map((value, index) =>
    found[index]!.length === 0 ? value : replaceArrays(value, buffer, offsets),
  );
  return { values: packed, transfer: [buffer] };
}

/** The arrays place by place, each over all values, where all values have the same places. */
function columnOrder(found: readonly (readonly TypedArray[])[]): TypedArray[] {
  const width = found[0]?.length ?? 0;
  if (found.some((arrays) => arrays.length !== width)) return found.flat();
  const order: TypedArray[] = [];
  for (let column = 0; column < width; column++) {
    for (const arrays of found) order.push(arrays[column]!);
  }
  return order;
}

function collectArrays(value: unknown, found: TypedArray[]): TypedArray[] {
  if (isTypedArray(value)) found.push(value);
  else if (Array.isArray(value)) for (const element of value) collectArrays(element, found);
  else if (isPlainObject(value)) for (const key in value) collectArrays(value[key], found);
  return found;
}

function replaceArrays(
  value: unknown,
  buffer: ArrayBuffer,
  offsets: ReadonlyMap<TypedArray, number>,
): unknown {
  if (isTypedArray(value)) {
    // A Node Buffer arrives as what it is to everyone else: a Uint8Array.
    const View = Buffer.isBuffer(value) ? Uint8Array : (value.constructor as typeof Float32Array);
    return new View(buffer, offsets.get(value), value.length);
  }
  if (Array.isArray(value)) return value.map((element) => replaceArrays(element, buffer, offsets));
  if (!isPlainObject(value)) return value;
  const members = Object.entries(value);
  return Object.fromEntries(members.map(([key, member]) => [key, replaceArrays(member, buffer, offsets)]));
}

function isTypedArray(value: unknown): value is TypedArray {
  return ArrayBuffer.isView(value) && !(value instanceof DataView);
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !ArrayBuffer.isView(value) && !isBuiltIn(value);
}

function isBuiltIn(value: object): boolean {
  return (
    value instanceof Map || value instanceof Set || value instanceof Date || value instanceof ArrayBuffer
  );
}
