/** What a server's `/metrics` says at one moment. */
export class ServerMetrics {
  readonly #lines: readonly string[];

  private constructor(text: string) {
    this.#lines = text.split('\n');
  }

  static async of(serverUrl: string): Promise<ServerMetrics> {
    const response = await fetch(`${serverUrl}/metrics`);
    return new ServerMetrics(await response.text());
  }

  /** The sum of the series of this name, of one model where it is named; 0 when there is none. */
  sum(name: string, model?: string): number {
    const start = model === undefined ? name : `${name}{model="${model}",`;
    return this.#lines
      .filter((line) => line.startsWith(start) && '{ '.includes(line.charAt(name.length)))
      .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
  }
}
