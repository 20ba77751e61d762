/** A line longer than this is told in pieces, in characters. */
const LONGEST_LINE = 16_384;

/** Cuts what a process writes into lines. What comes without an end of line is bounded. */
export class OutputLines {
  readonly #onLine: (line: string) => void;
  #begun = '';

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine;
  }

  push(text: string): void {
    const lines = (this.#begun + text).split('\n');
    this.#begun = lines.pop()!;
    for (const line of lines) this.#tell(line);
    if (this.#begun.length >= LONGEST_LINE) this.end();
  }

  /** Tells what has no end of line yet. */
  end(): void {
    this.#tell(this.#begun);
    this.#begun = '';
  }

  #tell(line: string): void {
    for (let at = 0; at < line.length; at += LONGEST_LINE) this.#onLine(line.slice(at, at + LONGEST_LINE));
  }
}
