import { Deserializer } from 'node:v8';
import { FRAME_MARK, HEADER_BYTES } from './encode-frame.js';
import { createView } from './view-types.js';

/**
 * Makes messages again of what `encodeFrame()` made of them, from bytes that come in pieces of any size.
 *
 * A message's tensors are views on one buffer, into which the bytes were read.
 */
export class FrameReader<M> {
  readonly #onMessage: (message: M) => void;
  readonly #header = Buffer.alloc(HEADER_BYTES);
  #envelope: Buffer<ArrayBuffer> | undefined;
  /** What is being filled: the header, the envelope or the buffers. */
  #part: Uint8Array<ArrayBuffer> = this.#header;
  #filled = 0;

  constructor(onMessage: (message: M) => void) {
    this.#onMessage = onMessage;
  }

  /** Whether a frame has begun and has not ended. */
  get isInsideFrame(): boolean {
    return this.#part !== this.#header || this.#filled > 0;
  }

  /**
   * Takes the next bytes.
   *
   * @throws {Error} when they are no frame; nothing after that can be read
   */
  push(chunk: Uint8Array): void {
    let taken = 0;
    while (taken < chunk.byteLength) {
      const bytes = chunk.subarray(taken, taken + this.#part.byteLength - this.#filled);
      this.#part.set(bytes, this.#filled);
      this.#filled += bytes.byteLength;
      taken += bytes.byteLength;
      // More than once: a message without tensors has a part of no length.
      while (this.#filled === this.#part.byteLength) this.#endPart();
    }
  }

  #endPart(): void {
    if (this.#part === this.#header) {
      if (this.#header.readUInt32LE(0) !== FRAME_MARK) throw new Error('what came is no message');
      this.#envelope = Buffer.alloc(this.#header.readUInt32LE(4));
      this.#fill(this.#envelope);
    } else if (this.#part === this.#envelope) {
      this.#fill(new Uint8Array(new ArrayBuffer(this.#header.readDoubleLE(8))));
    } else {
      const deserializer = new EnvelopeDeserializer(this.#envelope!, this.#part.buffer);
      this.#envelope = undefined;
      this.#fill(this.#header);
      deserializer.readHeader();
      this.#onMessage(deserializer.readValue() as M);
    }
  }

  #fill(part: Uint8Array<ArrayBuffer>): void {
    this.#part = part;
    this.#filled = 0;
  }
}

class EnvelopeDeserializer extends Deserializer {
  readonly #buffers: ArrayBuffer;

  constructor(envelope: Buffer, buffers: ArrayBuffer) {
    super(envelope);
    this.#buffers = buffers;
  }

  override _readHostObject(): ArrayBufferView {
    const type = this.readUint32();
    const byteLength = this.readDouble();
    if (this.readUint32() === 1) return createView(type, this.#buffers, this.readDouble(), byteLength);
    // A copy, since a view on the envelope would start wherever the envelope does.
    const bytes = Uint8Array.from(this.readRawBytes(byteLength));
    return createView(type, bytes.buffer, 0, byteLength);
  }
}
