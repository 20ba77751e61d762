const VARINT = 0;
const LENGTH_DELIMITED = 2;
const FIXED_32 = 5;

/** A protobuf message under construction. Fields are written in the order of the calls. */
export class ProtobufMessage {
  // Kept apart and joined once, so that megabytes of weights are not copied at every level of nesting.
  readonly #chunks: Uint8Array[] = [];
  #length = 0;

  /** Adds an integer field. Negative numbers are written as 64-bit two's complement, as protobuf asks. */
  integer(field: number, value: number | bigint): this {
    return this.append(varint(tag(field, VARINT)), varint(value));
  }

  /** Adds a 32-bit floating-point field. */
  float(field: number, value: number): this {
    return this.append(varint(tag(field, FIXED_32)), bytesOf(Float32Array.of(value)));
  }

  /** Adds packed 32-bit floating-point numbers. */
  floats(field: number, values: readonly number[]): this {
    return this.bytes(field, bytesOf(Float32Array.from(values)));
  }

  /** Adds a string field, as UTF-8. */
  string(field: number, value: string): this {
    return this.bytes(field, new TextEncoder().encode(value));
  }

  /** Adds a field of raw bytes, which are kept, not copied, until {@link toBytes}. */
  bytes(field: number, value: Uint8Array): this {
    return this.append(varint(tag(field, LENGTH_DELIMITED)), varint(value.length), value);
  }

  /** Adds a nested message as it is now. */
  message(field: number, value: ProtobufMessage): this {
    return this.append(varint(tag(field, LENGTH_DELIMITED)), varint(value.#length), ...value.#chunks);
  }

  /** The encoded message. */
  toBytes(): Uint8Array {
    const joined = new Uint8Array(this.#length);
    let offset = 0;
    for (const chunk of this.#chunks) {
      joined.set(chunk, offset);
      offset += chunk.length;
    }
    return joined;
  }

  private append(...chunks: readonly Uint8Array[]): this {
    for (const chunk of chunks) {
      this.#chunks.push(chunk);
      this.#length += chunk.length;
    }
    return this;
  }
}

/** The bytes of a typed array, as a view. Little-endian, like every platform that Node runs on and like protobuf. */
export function bytesOf(array: ArrayBufferView): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}

function tag(field: number, wireType: number): number {
  return (field << 3) | wireType;
}

function varint(value: number | bigint): Uint8Array {
  let rest = BigInt.asUintN(64, BigInt(value));
  const bytes: number[] = [];
  do {
    const low = Number(rest & 0x7fn);
    rest >>= 7n;
    bytes.push(rest === 0n ? low : low | 0x80);
  } while (rest !== 0n);
  return Uint8Array.from(bytes);
}
