import { MessagePackCodec } from '#codec';
import { tensor, type Tensor } from '#model';
import { SeededNumbers } from '#onnx';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Request bodies of one kind, as files that the load generator sends in turn. */
export interface Body {
  readonly contentType: string;
  readonly files: readonly string[];
}

const SAMPLES = 'models/digits/samples/digits.json';

/** Writes the bodies of the benchmarks into a folder. */
export class BodyFiles {
  readonly #folder: string;
  readonly #numbers = new SeededNumbers(7);
  readonly #messagePack = new MessagePackCodec();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** 16 numbers: a small request, so that what is measured is the server and not its parser. */
  smallJson(): Body {
    const rows = Array.from({ length: 8 }, () => Array.from(this.#numbers.uniform(16, 1), rounded));
    return this.json('small', rows);
  }

  /** Real handwritten digits, as numbers. */
  digitsJson(): Body {
    return this.json(
      'digit',
      digits().map((pixels) => ({ pixels })),
    );
  }

  /** The same digits, as bytes. */
  digitsMessagePack(): Body {
    const inputs = digits().map((pixels) => ({
      pixels: tensor('float32', [pixels.length], Float32Array.from(pixels)),
    }));
    return this.messagePack('digit', inputs);
  }

  /** Noise of a shape, as bytes. */
  noise(name: string, shape: readonly number[], count: number): Body {
    const size = shape.reduce((product, axis) => product * axis, 1);
    const tensors: Tensor[] = Array.from({ length: count }, () =>
      tensor('float32', shape, this.#numbers.uniform(size, 1)),
    );
    return this.messagePack(name, tensors);
  }

  /** The bytes of pictures of noise. */
  pictures(name: string, shape: readonly number[], count: number): Body {
    const size = shape.reduce((product, axis) => product * axis, 1);
    const tensors: Tensor[] = Array.from({ length: count }, () =>
      tensor(
        'uint8',
        shape,
        Uint8Array.from(this.#numbers.uniform(size, 1), (value) => 127.5 * (1 + value)),
      ),
    );
    return this.messagePack(name, tensors);
  }

  private json(name: string, inputs: readonly unknown[]): Body {
    const files = inputs.map((data, index) => this.write(`${name}-${index}.json`, JSON.stringify({ data })));
    return { contentType: 'application/json', files };
  }

  private messagePack(name: string, inputs: readonly unknown[]): Body {
    const files = inputs.map((data, index) =>
      this.write(`${name}-${index}.msgpack`, this.#messagePack.encode({ data })),
    );
    return { contentType: 'application/msgpack', files };
  }

  private write(name: string, content: string | Uint8Array): string {
    const path = join(this.#folder, name);
    writeFileSync(path, content);
    return path;
  }
}

function rounded(value: number): number {
  return Number(value.toFixed(3));
}

function digits(): number[][] {
  const samples = JSON.parse(readFileSync(SAMPLES, 'utf8')) as { pixels: number[] }[];
  return samples.map(({ pixels }) => pixels);
}
