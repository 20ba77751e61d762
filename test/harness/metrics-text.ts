interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

type Labels = Readonly<Record<string, string>>;

/** What `/metrics` said at one moment. */
export class MetricsText {
  readonly #samples: readonly Sample[];

  /** @param text in the Prometheus text format */
  constructor(readonly text: string) {
    this.#samples = text
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map(readSample);
  }

  /** The sum of all samples of this name that carry these labels; 0 when there is none. */
  value(name: string, labels: Labels = {}): number {
    return this.#matching(name, labels).reduce((sum, { value }) => sum + value, 0);
  }

  has(name: string, labels: Labels = {}): boolean {
    return this.#matching(name, labels).length > 0;
  }

  /** The label sets of the samples of this name. */
  labelsOf(name: string): Labels[] {
    return this.#matching(name, {}).map(({ labels }) => labels);
  }

  /** Batches that have ended, and the items that were in them. */
  batches(model: string): { readonly count: number; readonly items: number } {
    return {
      count: this.value('smartbatch_batch_size_count', { model }),
      items: this.value('smartbatch_batch_size_sum', { model }),
    };
  }

  /** Requests of a model that have ended so. */
  ended(model: string, outcome: string): number {
    return this.value('smartbatch_requests_total', { model, outcome });
  }

  inFlight(model: string): number {
    return this.value('smartbatch_requests_in_flight', { model });
  }

  queueSize(model: string): number {
    return this.value('smartbatch_queue_size', { model });
  }

  #matching(name: string, labels: Labels): Sample[] {
    return this.#samples.filter(
      (sample) =>
        sample.name === name && Object.entries(labels).every(([key, value]) => sample.labels[key] === value),
    );
  }
}

function readSample(line: string): Sample {
  const match = /^([\w:]+)(?:\{(.*)\})? (\S+)$/.exec(line);
  if (match === null) throw new Error(`not a line of the Prometheus text format: ${line}`);
  const [, name, labels = '', value] = match;
  const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key, text]) => [key!, text!]);
  return { name: name!, labels: Object.fromEntries(pairs) as Labels, value: Number(value) };
}
