import { mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { admin } from '../admin/admin-client.js';
import { mixingRows, oneOperator, weightsElsewhere } from '../harness/onnx-file.js';
import { predictMany } from '../harness/predict-many.js';
import { startServer } from '../harness/start-server.js';
import { stopAndCheck } from '../harness/stop-and-check.js';

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'smartbatch-models-')));
const files = {
  'negation.onnx': oneOperator('Neg', [null, 2]),
  'single.onnx': oneOperator('Neg', [1, 2]),
  'mixing.onnx': mixingRows(),
  'text.onnx': 'no model',
  'empty.onnx': '',
  'labels.txt': 'left\nright',
  'three.txt': 'a\nb\nc',
};
for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);

const outside = mkdtempSync(join(tmpdir(), 'smartbatch-outside-'));
for (const place of [folder, outside])
  writeFileSync(join(place, 'weights.bin'), Buffer.from(Float32Array.of(40, 50).buffer));
symlinkSync(join(outside, 'weights.bin'), join(folder, 'link.bin'));
symlinkSync(outside, join(folder, 'linked'));
mkdirSync(join(folder, 'inner'));

const server = await startServer({ models: {}, environment: { SMARTBATCH_MODEL_PATHS: folder } });
afterAll(() => stopAndCheck(server));

const names = async () => (await admin.list(server)).body.models.map(({ name }) => name);

describe('an ONNX file that is registered while the server runs', () => {
  it('serves with its labels, its options and workers of its own, until it is removed', async () => {
    const settings = {
      onnx: 'negation.onnx',
      labels: 'labels.txt',
      version: '1',
      workers: 2,
      max_batch_size: 4,
    };
    const { status, body } = await admin.register(server, 'sides', settings);
    expect([status, body.options]).toMatchObject([201, { workers: 2, max_batch_size: 4 }]);
    const inputs = Array.from({ length: 16 }, (_, n) => ({ x: n % 2 === 0 ? [n, 1] : [-n, 1] }));
    const results = await predictMany<{ top_labels: { label: string }[] }>(server, 'sides', inputs);
    expect(results.map(({ top_labels: [best] }) => best!.label)).toEqual(
      inputs.map(({ x }) => (-x[0]! >= -x[1]! ? 'left' : 'right')),
    );
    expect((await admin.remove(server, 'sides', '1')).status).toBe(200);
    expect((await server.predict('sides', { x: [1, 2] })).body.code).toBe('model_not_found');
  });

  it.each([
    [{ onnx: 'text.onnx' }, "'text.onnx' is no ONNX model, or is damaged"],
    [{ onnx: 'empty.onnx' }, "'empty.onnx' is no ONNX model, or is damaged"],
    [{ onnx: 'mixing.onnx' }, 'self-check: item'],
    [
      { onnx: 'negation.onnx', labels: 'three.txt' },
      'there are 3 labels, so exactly one output must have 3 numbers',
    ],
  ])(
    'BC-089 that cannot be served is 422 with a plain reason, and nothing is left: %j',
    async (settings, reason) => {
      const { status, body } = await admin.register(server, 'bad', { ...settings, version: '1' });
      expect([status, body.code]).toEqual([422, 'model_not_loadable']);
      expect(body.detail).toContain(reason);
      expect(JSON.stringify(body)).not.toContain(folder);
      expect(await names()).not.toContain('bad');
      expect((await server.metrics()).text).not.toContain('bad');
    },
  );

  it('may have its weights in a file beside it', async () => {
    writeFileSync(join(folder, 'beside.onnx'), weightsElsewhere('weights.bin'));
    expect((await admin.register(server, 'beside', { onnx: 'beside.onnx', version: '1' })).status).toBe(201);
    const { body } = await server.predict('beside', { x: [1, 2] });
    expect(body.result).toMatchObject({ y: { data: [41, 52] } });
    await admin.remove(server, 'beside', '1');
  });

  it.each([
    join(outside, 'weights.bin'),
    join('..', basename(outside), 'weights.bin'),
    `inner/../../${basename(outside)}/weights.bin`,
    'link.bin',
    'linked/weights.bin',
    '/proc/self/environ',
    'none.bin',
  ])('BC-119 may not have its weights elsewhere: %s', async (location) => {
    writeFileSync(join(folder, 'thief.onnx'), weightsElsewhere(location));
    const { status, body } = await admin.register(server, 'bad', { onnx: 'thief.onnx', version: '1' });
    expect([status, body.detail]).toEqual([
      422,
      "the model cannot be loaded: 'thief.onnx' has weights in a file that does not lie beside it",
    ]);
  });

  it.each([
    [{ onnx: '/etc/passwd' }, 'onnx'],
    [{ onnx: '../negation.onnx' }, 'onnx'],
    [{ onnx: 'negation.onnx', labels: '/etc/passwd' }, 'labels'],
    [{ onnx: 'negation.onnx', batched: 'yes' }, 'batched'],
    [{ onnx: 'negation.onnx', module: './m.js' }, 'onnx'],
    [{ onnx: 'negation.onnx', self_check: 'maybe' }, 'self_check'],
  ])('BC-119 with a bad field is 422, naming it: %j', async (settings, field) => {
    const { status, body } = await admin.register(server, 'bad', settings);
    expect([status, body.code]).toEqual([422, 'invalid_options']);
    expect(body.errors?.map((error) => error.field)).toEqual([field]);
  });

  it.each([[{ onnx: 'single.onnx', max_batch_size: 16 }], [{ onnx: 'mixing.onnx', self_check: 'limit' }]])(
    'BC-035 keeps its batches at one, whatever is said later: %j',
    async (settings) => {
      const { body } = await admin.register(server, 'careful', { ...settings, version: '1' });
      expect(body.options).toMatchObject({ max_batch_size: 1 });
      await admin.update(server, 'careful', '1', { max_batch_size: 8 });
      expect((await admin.version(server, 'careful', '1')).body.options).toMatchObject({ max_batch_size: 1 });
      const inputs = Array.from({ length: 8 }, (_, n) => ({ x: [n, n] }));
      await predictMany(server, 'careful', inputs);
      const { count, items } = (await server.metrics()).batches('careful');
      expect([count, items % 8]).toEqual([items, 0]);
      await admin.remove(server, 'careful', '1');
    },
  );

  it('BC-106 runs in a process of its own where that is wanted', async () => {
    const settings = { onnx: 'negation.onnx', version: '1', isolation: 'process', workers: 2 };
    const { status } = await admin.register(server, 'apart', settings);
    expect(status).toBe(201);
    expect((await server.predict('apart', { x: [1, 2] })).body.result).toMatchObject({
      y: { data: [-1, -2] },
    });
    expect((await admin.remove(server, 'apart', '1')).status).toBe(200);
  });
});
