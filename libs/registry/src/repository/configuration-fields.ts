import type { TextMessage, TextValue } from './text-format/parse-text-format.js';

/**
 * Reads the fields of a message of `config.pbtxt`, and knows which have not been asked for: those are told as warnings,
 * since they do nothing here.
 */
export class ConfigurationFields {
  readonly #message: TextMessage;
  readonly #path: string;
  readonly #warnings: string[];
  readonly #read = new Set<string>();

  /**
   * @param path where the message stands, with a dot at its end
   * @param warnings takes the warnings of this message and those in it
   */
  constructor(message: TextMessage, path: string, warnings: string[]) {
    this.#message = message;
    this.#path = path;
    this.#warnings = warnings;
  }

  /** The last of a field's texts. @throws {Error} when it is none */
  text(name: string): string | undefined {
    return this.texts(name).at(-1);
  }

  texts(name: string): string[] {
    return this.#all(name, 'a text', (value) => (typeof value === 'string' ? value : undefined));
  }

  /** The last of a field's integers. @throws {Error} when it is none */
  integer(name: string): number | undefined {
    return this.integers(name).at(-1);
  }

  integers(name: string): number[] {
    return this.#all(name, 'an integer', (value) =>
      Number.isSafeInteger(value) ? (value as number) : undefined,
    );
  }

  flag(name: string): boolean {
    const flags = this.#all(name, 'true or false', (value) => {
      if (value === 'true' || value === 1) return true;
      return value === 'false' || value === 0 ? false : undefined;
    });
    return flags.at(-1) ?? false;
  }

  /** The message that stands here, without what it says. */
  has(name: string): boolean {
    return this.#message.has(name);
  }

  message(name: string): ConfigurationFields | undefined {
    return this.messages(name).at(-1);
  }

  messages(name: string): ConfigurationFields[] {
    const found = this.#all(name, 'a message in braces', (value) =>
      typeof value === 'object' ? value : undefined,
    );
    return found.map((message) => new ConfigurationFields(message, `${this.#path}${name}.`, this.#warnings));
  }

  /** Takes a field that may stand there and says nothing that matters here. */
  ignore(...names: readonly string[]): void {
    for (const name of names) this.#read.add(name);
  }

  /** Adds a warning for each field that nobody has asked for. */
  warnOfRest(): void {
    for (const name of this.#message.keys()) {
      if (!this.#read.has(name)) this.warn(name, 'is not used');
    }
  }

  warn(name: string, message: string): void {
    this.#warnings.push(`${this.#path}${name} ${message}`);
  }

  /** An error that names a field. */
  fault(name: string, message: string): Error {
    return new Error(`config.pbtxt: ${this.#path}${name} ${message}`);
  }

  #all<T>(name: string, kind: string, read: (value: TextValue) => T | undefined): T[] {
    this.#read.add(name);
    return (this.#message.get(name) ?? []).map((value) => {
      const result = read(value);
      if (result === undefined) throw this.fault(name, `must be ${kind}`);
      return result;
    });
  }
}
