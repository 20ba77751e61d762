import type { HTTPMethods } from 'fastify';

/** One route as the HTTP server has it. */
export interface MappedRoute {
  readonly method: HTTPMethods;
  /** With `:name` for a parameter and `*` for the rest. */
  readonly path: string;
}

const LINE = /^(?<indent>(?:│ {3}| {4})*)[├└]── (?<part>\S+)(?: \((?<methods>[A-Z, ]+)\))?$/;

/** Reads what Fastify's `printRoutes({ commonPrefix: false })` prints: a tree of parts of paths. */
export function readRouteTable(printed: string): MappedRoute[] {
  const parts: string[] = [];
  return printed
    .trimEnd()
    .split('\n')
    .flatMap((line) => {
      const { indent, part, methods } = LINE.exec(line)?.groups ?? {};
      if (part === undefined) throw new Error(`not a line of a route table: ${line}`);
      parts.splice(indent!.length / 4, Infinity, part);
      const path = parts.join('');
      return methods === undefined ? [] : methods.split(', ').map((method) => ({ method, path }));
    });
}
