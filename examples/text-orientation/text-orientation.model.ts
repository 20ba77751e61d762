import { BatchedHandler, stack, type Tensor } from '#model';
import { OnnxSession } from '#onnx';
import { Injectable } from '@nestjs/common';
import { linePicture, PICTURE_SHAPE } from './line-picture.js';

/** 16 MiB of bytes, in base64. */
const LONGEST_BASE64 = 22_369_624;

/** How a line of text stands. */
export interface TextOrientation {
  readonly orientation: 'upright' | 'upside-down';
  /** Probability of that, 0.5 to 1. */
  readonly confidence: number;
}

/** Tells whether a picture of a line of text stands upright or upside down. */
@Injectable()
export class TextOrientationModel {
  constructor(private readonly session: OnnxSession) {}

  /** One run for all pictures that can be read. One that cannot be read fails alone. */
  @BatchedHandler({
    name: 'text-orientation',
    version: '1',
    maxBatchSize: 32,
    input: {
      description: 'A JPEG or PNG file with one line of text: base64 in JSON, bytes in MessagePack.',
      anyOf: [
        { type: 'string', minLength: 1, maxLength: LONGEST_BASE64, contentEncoding: 'base64' },
        // What bytes are to a JSON Schema validator.
        { type: 'object' },
      ],
    },
    output: {
      type: 'object',
      required: ['orientation', 'confidence'],
      properties: {
        orientation: { enum: ['upright', 'upside-down'] },
        confidence: { type: 'number', minimum: 0, maximum: 1 },
      },
    },
    description: 'Tells whether a picture of a line of text stands upright or upside down.',
  })
  async classify(batch: (string | Uint8Array)[]): Promise<(TextOrientation | Error)[]> {
    const pictures = await Promise.all(batch.map(readPicture));
    const readable = pictures.filter((picture): picture is Tensor<'float32'> => !(picture instanceof Error));
    if (readable.length === 0) return pictures.filter((picture) => picture instanceof Error);
    const orientations = await this.orientations(stack(readable));
    let next = 0;
    return pictures.map((picture) => (picture instanceof Error ? picture : orientations[next++]!));
  }

  private async orientations(pictures: Tensor): Promise<TextOrientation[]> {
    const input = this.session.inputs[0]!.name;
    const output = this.session.outputs[0]!.name;
    const probabilities = (await this.session.run({ [input]: pictures }))[output]!.data as Float32Array;
    return Array.from({ length: pictures.shape[0]! }, (_, index) => {
      const upright = probabilities[2 * index]!;
      const upsideDown = probabilities[2 * index + 1]!;
      return upright >= upsideDown
        ? { orientation: 'upright', confidence: upright }
        : { orientation: 'upside-down', confidence: upsideDown };
    });
  }
}

async function readPicture(source: string | Uint8Array): Promise<Tensor<'float32'> | Error> {
  try {
    return { dtype: 'float32', shape: PICTURE_SHAPE, data: await linePicture(source) };
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
