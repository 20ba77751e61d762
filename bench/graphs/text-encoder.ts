import { OnnxGraph, SeededNumbers } from '#onnx';

/** What a text encoder is built with. The defaults are MiniLM-L6's widths with two layers and a small vocabulary. */
export interface TextEncoderOptions {
  readonly seed?: number;
  readonly layers?: number;
  /** Numbers that stand for one token. A multiple of `heads`. */
  readonly width?: number;
  readonly heads?: number;
  /** Units of the layer between two attentions. */
  readonly feedForward?: number;
  readonly vocabulary?: number;
  /** Most tokens of a text. */
  readonly positions?: number;
}

/**
 * A transformer encoder with seeded weights, by default 18 MB. It costs what a real one of its shape costs,
 * and its embeddings mean nothing. Padding does not change a text's embedding.
 *
 * @returns the ONNX file: `input_ids` and `attention_mask`, int64 [batch, tokens], to `embedding` float32
 * [batch, width], the mean over the unmasked tokens, of length 1
 */
export function textEncoder(options: TextEncoderOptions = {}): Uint8Array {
  return new TextEncoderBuilder(options).build();
}

class TextEncoderBuilder {
  readonly #graph = new OnnxGraph('text-encoder');
  readonly #numbers: SeededNumbers;
  readonly #options: Required<TextEncoderOptions>;

  constructor(options: TextEncoderOptions) {
    this.#options = {
      seed: 1,
      layers: 2,
      width: 384,
      heads: 12,
      feedForward: 1536,
      vocabulary: 2000,
      positions: 512,
      ...options,
    };
    this.#numbers = new SeededNumbers(this.#options.seed);
  }

  build(): Uint8Array {
    const graph = this.#graph;
    const ids = graph.input('input_ids', 'int64', ['batch', 'tokens']);
    const mask = graph.input('attention_mask', 'int64', ['batch', 'tokens']);
    const weightOfToken = graph.node('Cast', [mask], { to: 1 });
    const bias = this.attentionBias(weightOfToken);
    let tokens = this.embeddings(ids);
    for (let layer = 0; layer < this.#options.layers; layer++) {
      tokens = this.normalized(graph.node('Add', [tokens, this.attention(tokens, bias)]));
      tokens = this.normalized(graph.node('Add', [tokens, this.feedForward(tokens)]));
    }
    const mean = this.meanOverTokens(tokens, weightOfToken);
    graph.node('LpNormalization', [mean], { axis: 1, p: 2 }, 'embedding');
    graph.output('embedding', 'float32', ['batch', this.#options.width]);
    return graph.toBytes();
  }

  private embeddings(ids: string): string {
    const graph = this.#graph;
    const { vocabulary, positions, width } = this.#options;
    const words = graph.node('Gather', [this.weights([vocabulary, width], 0.05), ids], { axis: 0 });
    const one = graph.integers([1]);
    const length = graph.node('Slice', [graph.node('Shape', [ids]), one, graph.integers([2])]);
    const zero = graph.integers([0]);
    const places = graph.node('Slice', [this.weights([positions, width], 0.03), zero, length, zero]);
    return this.normalized(graph.node('Add', [words, places]));
  }

  /** 0 where a token may be looked at, and far below every score where it is padding. */
  private attentionBias(weightOfToken: string): string {
    const graph = this.#graph;
    const overHeadsAndQueries = graph.node('Unsqueeze', [weightOfToken, graph.integers([1, 2])]);
    const isPadding = graph.node('Sub', [graph.scalar(1), overHeadsAndQueries]);
    return graph.node('Mul', [isPadding, graph.scalar(-10_000)]);
  }

  private attention(tokens: string, bias: string): string {
    const graph = this.#graph;
    const { width, heads } = this.#options;
    const queries = this.heads(this.dense(tokens, width, width), [0, 2, 1, 3]);
    const keys = this.heads(this.dense(tokens, width, width), [0, 2, 3, 1]);
    const values = this.heads(this.dense(tokens, width, width), [0, 2, 1, 3]);
    const scores = graph.node('Div', [
      graph.node('MatMul', [queries, keys]),
      graph.scalar(Math.sqrt(width / heads)),
    ]);
    const shares = graph.node('Softmax', [graph.node('Add', [scores, bias])], { axis: -1 });
    const mixed = graph.node('Transpose', [graph.node('MatMul', [shares, values])], { perm: [0, 2, 1, 3] });
    const joined = graph.node('Reshape', [mixed, graph.integers([0, 0, width])]);
    return this.dense(joined, width, width);
  }

  private heads(tokens: string, perm: readonly number[]): string {
    const { width, heads } = this.#options;
    const split = this.#graph.node('Reshape', [tokens, this.#graph.integers([0, 0, heads, width / heads])]);
    return this.#graph.node('Transpose', [split], { perm });
  }

  private feedForward(tokens: string): string {
    const graph = this.#graph;
    const { width, feedForward } = this.#options;
    const hidden = this.dense(tokens, width, feedForward);
    // GELU, x · (1 + erf(x / √2)) / 2, spelt out: it is an operator of its own only from opset 20 on.
    const error = graph.node('Erf', [graph.node('Div', [hidden, graph.scalar(Math.SQRT2)])]);
    const doubled = graph.node('Mul', [hidden, graph.node('Add', [error, graph.scalar(1)])]);
    return this.dense(graph.node('Mul', [doubled, graph.scalar(0.5)]), feedForward, width);
  }

  private dense(input: string, inputs: number, outputs: number): string {
    const product = this.#graph.node('MatMul', [
      input,
      this.weights([inputs, outputs], Math.sqrt(3 / inputs)),
    ]);
    return this.#graph.node('Add', [product, this.weights([outputs], 0.01)]);
  }

  private normalized(tokens: string): string {
    const { width } = this.#options;
    const scale = this.#graph.weights([width], new Float32Array(width).fill(1));
    const shift = this.#graph.weights([width], new Float32Array(width));
    return this.#graph.node('LayerNormalization', [tokens, scale, shift], {
      axis: -1,
      epsilon: { float: 1e-12 },
    });
  }

  private meanOverTokens(tokens: string, weightOfToken: string): string {
    const graph = this.#graph;
    const weight = graph.node('Unsqueeze', [weightOfToken, graph.integers([2])]);
    const tokenAxis = graph.integers([1]);
    const total = graph.node('ReduceSum', [graph.node('Mul', [tokens, weight]), tokenAxis], { keepdims: 0 });
    const count = graph.node('ReduceSum', [weight, tokenAxis], { keepdims: 0 });
    return graph.node('Div', [total, count]);
  }

  private weights(shape: readonly number[], bound: number): string {
    const length = shape.reduce((product, axis) => product * axis, 1);
    return this.#graph.weights(shape, this.#numbers.uniform(length, bound));
  }
}
