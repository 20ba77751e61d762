import { Ajv2020 } from 'ajv/dist/2020.js';
import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { fixture, shippedModel } from '../harness/configuration-file.js';
import { startServer } from '../harness/start-server.js';
import { stopAndCheck } from '../harness/stop-and-check.js';

interface MediaType {
  readonly schema: object;
  readonly example?: { readonly data: unknown };
}

interface Operation {
  readonly operationId: string;
  readonly requestBody: { readonly content: Readonly<Record<string, MediaType>> };
  readonly responses: Readonly<Record<string, object>>;
}

interface OpenApi {
  readonly openapi: string;
  readonly info: { readonly version: string };
  readonly paths: Readonly<Record<string, { readonly post?: Operation }>>;
}

const MODELS = ['digits', 'language', 'parcel', 'double'];
const server = await startServer({
  models: {
    digits: { module: shippedModel('digits') },
    language: { module: shippedModel('language') },
    parcel: { module: fixture('parcel/parcel.module') },
    double: { module: fixture('tensors'), function: 'double' },
  },
});
afterAll(async () => {
  await server.predict('double', []);
  await stopAndCheck(server);
});
const document = (await (await fetch(`${server.url}/openapi.json`)).json()) as OpenApi;

function operationOf(model: string): Operation {
  return document.paths[`/models/${model}/predict`]!.post!;
}

function bodyOf(model: string): MediaType {
  return operationOf(model).requestBody.content['application/json']!;
}

it('/docs is a page with its script', async () => {
  const page = await fetch(`${server.url}/docs`);
  expect(page.status).toBe(200);
  expect(page.headers.get('content-type')).toContain('text/html');
  expect(await page.text()).toContain('swagger-ui');
  expect(await server.status('/docs/swagger-ui-bundle.js')).toBe(200);
  const script = await fetch(`${server.url}/docs/swagger-ui-init.js`);
  expect(await script.text()).toContain('updateJsonSpec');
});

describe('/openapi.json', () => {
  it('bears the version of the package', () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    expect(document.info.version).toBe(version);
  });

  it('describes the server as OpenAPI 3.1', () => {
    expect(document.openapi).toMatch(/^3\.1\./);
    expect(Object.keys(document.paths)).toEqual(
      expect.arrayContaining(['/health', '/health/live', '/health/ready']),
    );
    expect(Object.keys(document.paths)).not.toContain('/models/{name}/predict');
  });

  it.each(MODELS)('has an operation of its own for %s', (model) => {
    const { operationId, responses } = operationOf(model);
    expect(operationId).toContain(model);
    expect(Object.keys(responses)).toEqual(
      expect.arrayContaining(['200', '400', '404', '413', '415', '422', '429', '500', '502', '503', '504']),
    );
  });

  it('has a schema of its own for each of them', () => {
    const schemas = MODELS.map((model) => JSON.stringify(bodyOf(model).schema));
    expect(new Set(schemas).size).toBe(MODELS.length);
  });

  it('every reference leads somewhere', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]*)"/g)].map(([, path]) => path!);
    expect(references.length).toBeGreaterThan(0);
    const dangling = references.filter((path) => resolve(path) === undefined);
    expect(dangling).toEqual([]);
  });

  it('no operation has the name of another', () => {
    const names = Object.values(document.paths).flatMap((path) =>
      Object.values(path).map(({ operationId }: Operation) => operationId),
    );
    expect(new Set(names).size).toBe(names.length);
  });

  it.each(MODELS)(
    'the example of %s fits its schema, and the server answers it as described',
    async (model) => {
      const { example } = bodyOf(model);
      expect(validates(pointerTo(model, 'requestBody'), example)).toBe(true);
      expect(validates(pointerTo(model, 'requestBody'), { data: { no: 'such input' } })).toBe(false);
      const { status, body } = await server.predict<object>(model, example!.data);
      expect(status).toBe(200);
      expect(validates(pointerTo(model, 'responses/200'), body)).toBe(true);
    },
  );
});

/** What a JSON pointer within the document leads to. */
function resolve(reference: string): unknown {
  return reference
    .replace(/^#\//, '')
    .split('/')
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], document);
}

/** Checks a value against a schema of the document, with the references in it. */
function validates(pointer: string, value: unknown): boolean {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema(document, 'document');
  return ajv.compile({ $ref: `document#${pointer}/schema` })(value);
}

/** The JSON pointer of a model's request or answer. */
function pointerTo(model: string, part: 'requestBody' | 'responses/200'): string {
  return `/paths/~1models~1${model}~1predict/post/${part}/content/application~1json`;
}
