import { OnnxGraph, SeededNumbers } from '#onnx';

/** What a ResNet-18 is built with. */
export interface ResNet18Options {
  readonly seed?: number;
  /** Height and width of a picture in pixels. */
  readonly imageSize?: number;
  readonly classes?: number;
}

interface Convolution {
  readonly input: string;
  readonly inputChannels: number;
  readonly outputChannels: number;
  readonly kernel: number;
  readonly stride: number;
  /** Scales the weights. Without batch normalisation, activations would grow from block to block. */
  readonly gain?: number;
}

const STAGES = [
  { channels: 64, stride: 1 },
  { channels: 128, stride: 2 },
  { channels: 256, stride: 2 },
  { channels: 512, stride: 2 },
] as const;
const BLOCKS_PER_STAGE = 2;

/**
 * A ResNet-18 as torchvision shapes it, with batch normalisation folded into the convolutions and seeded
 * weights, 47 MB. It costs what the real one costs, and recognises nothing.
 *
 * @returns the ONNX file: `image` float32 [batch, 3, imageSize, imageSize] to `logits` float32 [batch, classes]
 */
export function resNet18({ seed = 1, imageSize = 224, classes = 1000 }: ResNet18Options = {}): Uint8Array {
  const builder = new ResNet18Builder(seed);
  return builder.build(imageSize, classes);
}

class ResNet18Builder {
  readonly #graph = new OnnxGraph('resnet-18');
  readonly #numbers: SeededNumbers;

  constructor(seed: number) {
    this.#numbers = new SeededNumbers(seed);
  }

  build(imageSize: number, classes: number): Uint8Array {
    const graph = this.#graph;
    const input = graph.input('image', 'float32', ['batch', 3, imageSize, imageSize]);
    const stem = { input, inputChannels: 3, outputChannels: 64, kernel: 7, stride: 2 };
    let value = graph.node('MaxPool', [graph.node('Relu', [this.convolution(stem)])], {
      kernel_shape: [3, 3],
      strides: [2, 2],
      pads: [1, 1, 1, 1],
    });
    let channels: number = 64;
    for (const stage of STAGES) {
      for (let block = 0; block < BLOCKS_PER_STAGE; block++) {
        value = this.block(value, channels, stage.channels, block === 0 ? stage.stride : 1);
        channels = stage.channels;
      }
    }
    this.classifier(value, channels, classes);
    return graph.toBytes();
  }

  private block(input: string, inputChannels: number, outputChannels: number, stride: number): string {
    const first = this.convolution({ input, inputChannels, outputChannels, kernel: 3, stride });
    const second = this.convolution({
      input: this.#graph.node('Relu', [first]),
      inputChannels: outputChannels,
      outputChannels,
      kernel: 3,
      stride: 1,
      gain: 0.5,
    });
    const keepsShape = stride === 1 && inputChannels === outputChannels;
    const shortcut = keepsShape
      ? input
      : this.convolution({ input, inputChannels, outputChannels, kernel: 1, stride, gain: 0.7 });
    return this.#graph.node('Relu', [this.#graph.node('Add', [second, shortcut])]);
  }

  private convolution(options: Convolution): string {
    const { input, inputChannels, outputChannels, kernel, stride, gain = 1 } = options;
    const fanIn = inputChannels * kernel * kernel;
    const weights = this.#graph.weights(
      [outputChannels, inputChannels, kernel, kernel],
      this.#numbers.uniform(outputChannels * fanIn, gain * Math.sqrt(6 / fanIn)),
    );
    const bias = this.#graph.weights([outputChannels], this.#numbers.uniform(outputChannels, 0.01));
    const padding = (kernel - 1) / 2;
    return this.#graph.node('Conv', [input, weights, bias], {
      kernel_shape: [kernel, kernel],
      strides: [stride, stride],
      pads: [padding, padding, padding, padding],
    });
  }

  private classifier(input: string, channels: number, classes: number): void {
    const graph = this.#graph;
    const features = graph.node('Flatten', [graph.node('GlobalAveragePool', [input])], { axis: 1 });
    const weights = graph.weights(
      [classes, channels],
      this.#numbers.uniform(classes * channels, Math.sqrt(1 / channels)),
    );
    const bias = graph.weights([classes], this.#numbers.uniform(classes, 0.01));
    graph.node('Gemm', [features, weights, bias], { transB: 1 }, 'logits');
    graph.output('logits', 'float32', ['batch', classes]);
  }
}
