import { CheckedBody, type Codec } from '#codec';
import { packArrays, SerializedItem, ServingError, type JsonSchema } from '#model';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { availableParallelism } from 'node:os';
import { Piscina } from 'piscina';
import type { DecodedBody, DecodedItem, DecodeTask, EncodeTask, TaskOutcome } from './body-tasks.js';

const ENTRY = new URL('./body-tasks.js', import.meta.url).href;

/** What a codec decodes within a few milliseconds, in bytes. Numbers as text cost most. */
const QUICK_BYTES: Readonly<Record<string, number>> = {
  'application/json': 256 * 1024,
  'application/msgpack': 1024 * 1024,
};

/** As many elements of typed arrays are written as text within a few milliseconds. */
const QUICK_ELEMENTS = 16 * 1024;

const MOST_THREADS = 4;

/** Time after which a thread without work ends, in milliseconds. */
const IDLE_MS = 30_000;

/**
 * Decodes large bodies and encodes large answers in threads of their own, so that the one thread that answers
 * everybody is held up by none of them. There are none until the first one is needed.
 */
@Injectable()
export class BodyThreads implements OnApplicationShutdown {
  readonly #pool = new Piscina({
    filename: ENTRY,
    minThreads: 0,
    maxThreads: Math.min(MOST_THREADS, Math.max(1, availableParallelism() - 1)),
    idleTimeout: IDLE_MS,
  });

  /** Whether a body takes long enough to decode to be worth the way to another thread. */
  isLargeBody({ mediaType }: Codec, { byteLength }: Uint8Array): boolean {
    return byteLength > (QUICK_BYTES[mediaType] ?? Infinity);
  }

  /** Whether an answer takes long enough to encode to be worth it. What is no typed array would cost as much to send. */
  isLargeAnswer({ mediaType }: Codec, answer: unknown): boolean {
    return mediaType === 'application/json' && countElements(answer) > QUICK_ELEMENTS;
  }

  /**
   * Decodes and checks a body. Its bytes may be gone afterwards.
   *
   * @param input description of one item
   * @throws {ServingError} `unreadable_body` or `invalid_input`
   */
  async decode({ mediaType }: Codec, bytes: Buffer<ArrayBuffer>, input: JsonSchema): Promise<CheckedBody> {
    const description = JSON.stringify(input);
    const task: DecodeTask = { mediaType, bytes, description };
    // A small part of a larger buffer may be Node's own pool.
    const transferList = bytes.byteLength === bytes.buffer.byteLength ? [bytes.buffer] : [];
    const decoded = await this.#run<DecodedBody>('decode', task, transferList);
    return new CheckedBody(description, { ...decoded, items: decoded.items.map(toItem) });
  }

  /**
   * Encodes an answer.
   *
   * @throws {ServingError} `non_finite_output` or `contract_violation`
   */
  async encode({ mediaType }: Codec, answer: unknown): Promise<Buffer> {
    const { values, transfer } = packArrays([answer]);
    const task: EncodeTask = { mediaType, answer: values[0] };
    const { buffer, byteOffset, byteLength } = await this.#run<Uint8Array>('encode', task, transfer);
    return Buffer.from(buffer, byteOffset, byteLength);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.#pool.destroy();
  }

  async #run<T>(name: string, task: object, transferList: ArrayBuffer[]): Promise<T> {
    const outcome = (await this.#pool.run(task, { name, transferList })) as TaskOutcome<T>;
    if ('value' in outcome) return outcome.value;
    const { code, message, faults } = outcome;
    throw new ServingError(code, message, faults === undefined ? {} : { faults });
  }
}

function toItem(item: DecodedItem): unknown {
  return 'bytes' in item ? new SerializedItem(item.bytes, item.measured) : item.value;
}

function countElements(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  if (ArrayBuffer.isView(value)) return (value as unknown as { length?: number }).length ?? 0;
  const members: unknown[] = Array.isArray(value) ? value : Object.values(value);
  return members.reduce<number>((sum, member) => sum + countElements(member), 0);
}
