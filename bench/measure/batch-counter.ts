/** Finds out from a server's metrics how large the batches of a model were. */
export class BatchCounter {
  readonly #url: string;
  readonly #model: string;
  #before = { batches: 0, items: 0 };

  constructor(serverUrl: string, model: string) {
    this.#url = `${serverUrl}/metrics`;
    this.#model = model;
  }

  async start(): Promise<void> {
    this.#before = await this.#read();
  }

  /** The mean size since the start; `undefined` when no batch ran. */
  async mean(): Promise<number | undefined> {
    const { batches, items } = await this.#read();
    const count = batches - this.#before.batches;
    return count === 0 ? undefined : (items - this.#before.items) / count;
  }

  async #read(): Promise<{ batches: number; items: number }> {
    const text = await (await fetch(this.#url)).text();
    const value = (series: string) => {
      const line = text
        .split('\n')
        .find((candidate) => candidate.startsWith(`${series}{model="${this.#model}",`));
      return line === undefined ? 0 : Number(line.slice(line.lastIndexOf(' ')));
    };
    return { batches: value('smartbatch_batch_size_count'), items: value('smartbatch_batch_size_sum') };
  }
}
