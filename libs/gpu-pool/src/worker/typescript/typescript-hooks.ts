import { readFile } from 'node:fs/promises';
import { createRequire, type LoadHook, type ResolveHook } from 'node:module';
import { fileURLToPath } from 'node:url';
import type TypeScript from 'typescript';
import type { TypeScriptHooksData } from './accept-typescript.js';

/*
 * Module hooks that compile TypeScript, each file by itself. They run in Node.js's own thread for hooks.
 */

let typescript: typeof TypeScript;

export function initialize({ compiler }: TypeScriptHooksData): void {
  typescript = createRequire(import.meta.url)(compiler) as typeof TypeScript;
}

/** TypeScript's imports name the file that a build would make: './shout.js' for 'shout.ts'. */
export const resolve: ResolveHook = async (specifier, context, nextResolve) => {
  try {
    return await nextResolve(specifier, context);
  } catch (error) {
    const source = specifier.replace(/\.(m?)js$/, '.$1ts');
    if (source === specifier || (error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    return nextResolve(source, context);
  }
};

export const load: LoadHook = async (url, context, nextLoad) => {
  if (!/^file:.*\.m?ts$/.test(url)) return nextLoad(url, context);
  const { ModuleKind, ScriptTarget, transpileModule } = typescript;
  const fileName = fileURLToPath(url);
  const { outputText } = transpileModule(await readFile(fileName, 'utf8'), {
    fileName,
    compilerOptions: {
      module: ModuleKind.ES2022,
      target: ScriptTarget.ES2022,
      experimentalDecorators: true,
      emitDecoratorMetadata: true,
      inlineSourceMap: true,
    },
  });
  return { format: 'module', source: outputText, shortCircuit: true };
};
