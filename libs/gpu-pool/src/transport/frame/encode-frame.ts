import { Serializer } from 'node:v8';
import { viewTypeOf } from './view-types.js';

/** Starts every frame: a reader that has lost its place notices at once. */
export const FRAME_MARK = 0x5342_4631;
/** Mark (uint32), bytes of the envelope (uint32), bytes of the buffers (float64), all little-endian. */
export const HEADER_BYTES = 16;
/** Each buffer starts at a multiple of the widest element. */
const ALIGNMENT = 8;

/**
 * A message as bytes: a header, an envelope in the format of structured clone, and behind it the buffers as they are.
 *
 * Node's own channel between processes would copy and serialize the tensors themselves. Here the envelope says only
 * where they lie.
 *
 * @param transfer buffers that go with the message; they must not change until the bytes have been written
 * @returns parts to write one after the other
 * @throws {Error} when a value cannot be sent, such as a function
 */
export function encodeFrame(message: unknown, transfer: readonly ArrayBuffer[] = []): Uint8Array[] {
  const serializer = new EnvelopeSerializer(transfer);
  serializer.writeHeader();
  serializer.writeValue(message);
  const envelope = serializer.releaseBuffer();
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt32LE(FRAME_MARK, 0);
  header.writeUInt32LE(envelope.byteLength, 4);
  header.writeDoubleLE(serializer.bufferBytes, 8);
  const buffers = transfer.flatMap((buffer) => {
    const padding = aligned(buffer.byteLength) - buffer.byteLength;
    const bytes = new Uint8Array(buffer);
    return padding === 0 ? [bytes] : [bytes, new Uint8Array(padding)];
  });
  return [header, envelope, ...buffers];
}

class EnvelopeSerializer extends Serializer {
  readonly #offsets = new Map<ArrayBufferLike, number>();
  /** What the buffers take together. */
  readonly bufferBytes: number;

  constructor(transfer: readonly ArrayBuffer[]) {
    super();
    // oxlint-disable-next-line no-underscore-dangle -- Node's own name
    this._setTreatArrayBufferViewsAsHostObjects(true);
    let end = 0;
    for (const buffer of transfer) {
      this.#offsets.set(buffer, end);
      end += aligned(buffer.byteLength);
    }
    this.bufferBytes = end;
  }

  override _writeHostObject(view: ArrayBufferView): void {
    const offset = this.#offsets.get(view.buffer);
    this.writeUint32(viewTypeOf(view));
    this.writeDouble(view.byteLength);
    this.writeUint32(offset === undefined ? 0 : 1);
    if (offset === undefined) {
      // It lies where packing does not look, such as in a Map, and goes with the envelope.
      this.writeRawBytes(new Uint8Array(view.buffer, view.byteOffset, view.byteLength));
    } else this.writeDouble(offset + view.byteOffset);
  }
}

function aligned(bytes: number): number {
  return Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;
}
