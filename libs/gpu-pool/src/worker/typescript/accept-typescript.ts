import { createRequire, register } from 'node:module';

/** What the hooks are given. */
export interface TypeScriptHooksData {
  /** URL of the compiler. */
  readonly compiler: string;
}

let accepted = false;

/** Whether a model's file has to be compiled before it runs. */
export function isTypeScript(specifier: string): boolean {
  return /\.m?ts$/.test(specifier);
}

/**
 * Lets this thread import TypeScript, for models under development. Node.js itself only takes types away, and does not
 * know decorators; esbuild leaves out the types that Nest's injection reads.
 *
 * @param file URL of a file beside which the compiler is looked for
 * @throws {Error} when there is none
 */
export async function acceptTypeScript(file: string): Promise<void> {
  // Whoever runs this very file from its source takes care of TypeScript already.
  if (accepted || import.meta.url.endsWith('.ts')) return;
  const hooks = new URL('./typescript-hooks.js', import.meta.url);
  const data: TypeScriptHooksData = { compiler: findCompiler(file) };
  register(hooks, { data });
  accepted = true;
}

function findCompiler(file: string): string {
  for (const from of [file, import.meta.url]) {
    try {
      return createRequire(from).resolve('typescript');
    } catch {
      // It may lie beside the other.
    }
  }
  throw new Error(
    "a model in TypeScript is compiled as it is loaded, for which the package 'typescript' must be installed; " +
      'or give the compiled JavaScript',
  );
}
