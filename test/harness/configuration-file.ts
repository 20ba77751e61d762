import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { stringify } from 'yaml';

/** Settings of one model as they stand in a configuration file. */
export type ModelSettings = Readonly<Record<string, unknown>>;

/** Writes text to a `smartbatch.yaml` of its own and returns its path. */
export function writeConfigurationText(text: string): string {
  const path = join(mkdtempSync(join(tmpdir(), 'smartbatch-e2e-')), 'smartbatch.yaml');
  writeFileSync(path, text);
  return path;
}

/** Writes a configuration with these models and returns its path. */
export function writeConfiguration(models: Readonly<Record<string, ModelSettings>>): string {
  return writeConfigurationText(stringify({ models }));
}

/** The built form of a file of `test/fixtures`, as a model's `module`. */
export function fixture(name: string): string {
  return resolve(`dist/test/fixtures/${name}.js`);
}

/** The built form of one of the shipped models, as a model's `module`. */
export function shippedModel(name: string): string {
  return resolve(`dist/models/${name}/${name}.module.js`);
}
