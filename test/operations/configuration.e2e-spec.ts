import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  fixture,
  type ModelSettings,
  shippedModel,
  writeConfiguration,
  writeConfigurationText,
} from '../harness/configuration-file.js';
import { ServerProcess } from '../harness/server-process.js';
import { startServer } from '../harness/start-server.js';

const module = fixture('recorder');

/** Starts a server that cannot start, and returns the one line with which it must end. */
async function refusal(environment: Readonly<Record<string, string>>): Promise<string> {
  const process = new ServerProcess({ PORT: '0', ...environment });
  expect(await process.ended).toEqual({ code: 1, signal: null });
  expect(process.stderrLines).toHaveLength(1);
  expect(process.stdoutLines.join('\n')).not.toContain('listening');
  return process.stderrLines[0]!;
}

function refusalOf(text: string): Promise<string> {
  return refusal({ SMARTBATCH_CONFIG: writeConfigurationText(text) });
}

function refusalOfModel(settings: Readonly<Record<string, unknown>>): Promise<string> {
  return refusal({ SMARTBATCH_CONFIG: writeConfiguration({ mine: { module, ...settings } }) });
}

describe('a start that cannot succeed ends with one clear line and exit code 1', () => {
  it.each<[string, Readonly<Record<string, ModelSettings>>]>([
    ['no model', {}],
    ['a model', { digits: { module: shippedModel('digits') } }],
  ])('when the port is taken (%s)', async (_, models) => {
    const other = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void other.close());
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const line = await refusal({ PORT: String(port), SMARTBATCH_CONFIG: writeConfiguration(models) });
    expect(line).toBe(`smartbatch: port ${port} on 127.0.0.1 is in use`);
  });

  it.each([
    ['PORT', 'http'],
    ['PORT', ''],
    ['PORT', '65536'],
    ['PORT', '80.5'],
    ['LOG_LEVEL', 'loud'],
    ['SMARTBATCH_DEVICES', 'gpu'],
    ['SMARTBATCH_BODY_LIMIT', '1MB'],
    ['SMARTBATCH_SHUTDOWN_TIMEOUT', '-1'],
    ['HOST', ''],
    ['SMARTBATCH_PROT', '8000'],
  ])('for the variable %s=%s', async (variable, value) => {
    expect(await refusal({ SMARTBATCH_CONFIG: writeConfiguration({}), [variable]: value })).toContain(
      variable,
    );
  });

  it('for a host that is not here', async () => {
    const line = await refusal({ SMARTBATCH_CONFIG: writeConfiguration({}), HOST: '203.0.113.1' });
    expect(line).toContain('203.0.113.1');
  });

  it.each([
    ['that does not exist', '/no/such/file.yaml'],
    ['that is a folder', mkdtempSync(`${tmpdir()}/smartbatch-e2e-`)],
  ])('for a configuration file %s', async (_, path) => {
    expect(await refusal({ SMARTBATCH_CONFIG: path })).toContain(path);
  });

  it.each([
    ['bad YAML', 'models: [', 'not YAML'],
    ['a key twice', 'port: 1\nport: 2', 'not YAML'],
    ['a list', '- port', 'name: value'],
    ['an unknown key', 'prot: 8000', 'prot'],
    ['a key of JavaScript', '__proto__: 1', '__proto__'],
    ['a bad value', 'port: eighty', 'port'],
    ['models that are a list', 'models: [digits]', 'models'],
    ['a model without a module', 'models:\n  mine: { workers: 1 }', 'models.mine.module'],
    ['a model with a bad name', 'models:\n  "a/b": { module: x }', 'a/b'],
  ])('for a configuration with %s', async (_, text, named) => {
    expect(await refusalOf(text)).toContain(named);
  });

  it.each([
    ['max_latency', 0.3],
    ['maxBatchSize', 8],
    ['max_batch_size', 0],
    ['workers', -1],
    ['max_wait_time', -0.1],
    ['devices', ['tpu']],
    ['version', { major: 1 }],
    ['function', 7],
  ])('BC-007: for the option %s: %j of a model', async (option, value) => {
    const line = await refusalOfModel({ [option]: value });
    expect(line).toContain('models.mine');
    expect(line).toContain(option);
  });
});

describe('the settings', () => {
  it('of the environment win over those of the file', async () => {
    const configuration = writeConfigurationText('port: 1\nlog_level: silent\nhost: 203.0.113.1\n');
    const server = await startServer({
      models: {},
      environment: { SMARTBATCH_CONFIG: configuration, LOG_LEVEL: 'info' },
    });
    expect(new URL(server.url).hostname).toBe('127.0.0.1');
    expect(await server.stop()).toEqual({ code: 0, signal: null });
  });
});
