import { SeededNumbers } from '#onnx';

/** How far one step of training goes. */
export interface StepOptions {
  readonly rate: number;
  readonly momentum: number;
}

/**
 * A network with one hidden layer of rectified units and a softmax over its outputs, trained by stochastic
 * gradient descent. Plain loops: it is made to be read, and to give the same weights for the same seed.
 */
export class Perceptron {
  /** `[inputs, hidden]`, row by row. */
  readonly hiddenWeights: Float32Array<ArrayBuffer>;
  readonly hiddenBias: Float32Array<ArrayBuffer>;
  /** `[hidden, outputs]`, row by row. */
  readonly outputWeights: Float32Array<ArrayBuffer>;
  readonly outputBias: Float32Array<ArrayBuffer>;
  readonly #hidden: Float32Array;
  readonly #hiddenGradient: Float32Array;
  readonly #probabilities: Float64Array;
  // The gradients and the velocities of the four arrays above, in their order.
  readonly #gradients: readonly Float32Array[];
  readonly #velocities: readonly Float32Array[];

  constructor(
    readonly inputs: number,
    readonly hidden: number,
    readonly outputs: number,
    seed: number,
  ) {
    const numbers = new SeededNumbers(seed);
    this.hiddenWeights = numbers.uniform(inputs * hidden, Math.sqrt(6 / inputs));
    this.hiddenBias = new Float32Array(hidden);
    this.outputWeights = numbers.uniform(hidden * outputs, Math.sqrt(6 / hidden));
    this.outputBias = new Float32Array(outputs);
    this.#hidden = new Float32Array(hidden);
    this.#hiddenGradient = new Float32Array(hidden);
    this.#probabilities = new Float64Array(outputs);
    this.#gradients = this.parameters().map(({ length }) => new Float32Array(length));
    this.#velocities = this.parameters().map(({ length }) => new Float32Array(length));
  }

  /** Adds one example to the gradient of the batch. */
  learn(input: Float32Array, label: number): void {
    this.forward(input);
    this.backward(input, label);
  }

  /** Moves the weights along the mean gradient of the `count` examples learnt since the last step. */
  step(count: number, { rate, momentum }: StepOptions): void {
    this.parameters().forEach((parameter, index) => {
      const gradient = this.#gradients[index]!;
      const velocity = this.#velocities[index]!;
      for (let i = 0; i < parameter.length; i++) {
        velocity[i] = momentum * velocity[i]! - (rate / count) * gradient[i]!;
        parameter[i]! += velocity[i]!;
      }
      gradient.fill(0);
    });
  }

  private parameters(): readonly Float32Array[] {
    return [this.hiddenWeights, this.hiddenBias, this.outputWeights, this.outputBias];
  }

  private forward(input: Float32Array): void {
    const hidden = this.#hidden;
    hidden.set(this.hiddenBias);
    for (let i = 0; i < this.inputs; i++) {
      // Four of five pixels are blank paper.
      if (input[i] === 0) continue;
      const row = i * this.hidden;
      for (let h = 0; h < this.hidden; h++) hidden[h]! += input[i]! * this.hiddenWeights[row + h]!;
    }
    const probabilities = this.#probabilities;
    probabilities.set(this.outputBias);
    for (let h = 0; h < this.hidden; h++) {
      hidden[h] = Math.max(0, hidden[h]!);
      const row = h * this.outputs;
      for (let o = 0; o < this.outputs; o++) probabilities[o]! += hidden[h]! * this.outputWeights[row + o]!;
    }
    softmax(probabilities);
  }

  private backward(input: Float32Array, label: number): void {
    const [hiddenWeights, hiddenBias, outputWeights, outputBias] = this.#gradients as [
      Float32Array,
      Float32Array,
      Float32Array,
      Float32Array,
    ];
    // The gradient of the cross-entropy with respect to the softmax's inputs.
    const error = this.#probabilities;
    error[label]! -= 1;
    const hiddenGradient = this.#hiddenGradient.fill(0);
    for (let h = 0; h < this.hidden; h++) {
      if (this.#hidden[h] === 0) continue;
      const row = h * this.outputs;
      for (let o = 0; o < this.outputs; o++) {
        outputWeights[row + o]! += this.#hidden[h]! * error[o]!;
        hiddenGradient[h]! += this.outputWeights[row + o]! * error[o]!;
      }
    }
    for (let o = 0; o < this.outputs; o++) outputBias[o]! += error[o]!;
    for (let h = 0; h < this.hidden; h++) hiddenBias[h]! += hiddenGradient[h]!;
    for (let i = 0; i < this.inputs; i++) {
      if (input[i] === 0) continue;
      const row = i * this.hidden;
      for (let h = 0; h < this.hidden; h++) hiddenWeights[row + h]! += input[i]! * hiddenGradient[h]!;
    }
  }
}

function softmax(values: Float64Array): void {
  const largest = Math.max(...values);
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i] = Math.exp(values[i]! - largest);
  for (let i = 0; i < values.length; i++) values[i]! /= sum;
}
