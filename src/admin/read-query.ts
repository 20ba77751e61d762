import { ServingError } from '#model';

/** A query as Fastify parses it: a parameter that is given twice is a list. */
export type Query = Readonly<Record<string, string | readonly string[]>>;

/** Reads one parameter of a query; `undefined` stands for one that was left out. */
type QueryReader<T> = (text: string | undefined, name: string) => T;

/**
 * Reads the parameters of a query. An unknown one is refused: a flag with a typing error must not be taken for one
 * that was left out.
 *
 * @throws {ServingError} `invalid_options`, naming the parameter and what would be right
 */
export function readQuery<Q extends object>(
  query: Query,
  readers: { readonly [name in keyof Q & string]: QueryReader<Q[name]> },
): Q {
  for (const [name, value] of Object.entries(query)) {
    if (!Object.hasOwn(readers, name)) {
      const known = Object.keys(readers).join(', ') || 'none';
      throw invalid(name, `is not a parameter here; known are: ${known}`);
    }
    if (typeof value !== 'string') throw invalid(name, 'must be given once');
  }
  const entries = Object.entries<QueryReader<unknown>>(readers);
  return Object.fromEntries(
    entries.map(([name, read]) => [name, read(query[name] as string | undefined, name)]),
  ) as Q;
}

/** `true` or `false`. */
export function flag(whenLeftOut: boolean): QueryReader<boolean> {
  return (text = String(whenLeftOut), name) => {
    if (text === 'true' || text === 'false') return text === 'true';
    throw invalid(name, `must be true or false, not '${text}'`);
  };
}

/** Seconds, as milliseconds. */
export const seconds: QueryReader<number | undefined> = (text, name) => {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (text.trim() !== '' && value >= 0 && value <= 86_400) return value * 1000;
  throw invalid(name, `must be seconds from 0 to 86400, not '${text}'`);
};

function invalid(field: string, message: string): ServingError {
  return new ServingError('invalid_options', `${field} ${message}`, { faults: [{ field, message }] });
}
