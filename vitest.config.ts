import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { defineConfig } from 'vitest/config';

/** Unit tests run on the sources; end-to-end tests on what was built, as a user would. */
const sources = Object.fromEntries(
  readdirSync('libs').map((lib) => [`#${lib}`, resolve(`libs/${lib}/src/index.ts`)]),
);

export default defineConfig({
  test: {
    projects: [
      {
        resolve: { alias: sources },
        test: {
          name: 'unit',
          include: ['{src,libs,models,examples,bench,test}/**/*.spec.ts'],
          setupFiles: ['reflect-metadata'],
        },
      },
      {
        test: {
          name: 'end-to-end',
          include: ['test/**/*.e2e-spec.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          // Each file starts servers of its own; more at once than cores would only slow each other down.
          maxWorkers: 2,
        },
      },
    ],
  },
});
