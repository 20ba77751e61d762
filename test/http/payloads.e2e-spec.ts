import { pack, unpack } from 'msgpackr';
import { afterAll, describe, expect, it } from 'vitest';
import type { Recorded } from '../fixtures/recorder.js';
import { fixture } from '../harness/configuration-file.js';
import { startServer } from '../harness/start-server.js';
import { stopAndCheck } from '../harness/stop-and-check.js';

interface PackedTensor {
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly data: Uint8Array;
}

const JSON_TYPE = 'application/json';
const MESSAGE_PACK = 'application/msgpack';
const VALUES = [1.5, -2, 3, 4, 5, 6.25];
const DOUBLED = VALUES.map((value) => 2 * value);
const tensors = fixture('tensors');
const server = await startServer({
  models: {
    echo: { module: fixture('recorder') },
    odd: { module: fixture('misbehaving'), function: 'oddResults' },
    double: { module: tensors, function: 'double' },
    increment: { module: tensors, function: 'increment' },
    backwards: { module: tensors, function: 'backwards' },
    reusing: { module: tensors, function: 'reusing', max_batch_size: 10, workers: 2 },
  },
});
afterAll(() => stopAndCheck(server));

async function predictPacked(model: string, body: Uint8Array, accept?: string): Promise<Response> {
  const response = await fetch(`${server.url}/models/${model}/predict`, {
    method: 'POST',
    headers: { 'content-type': MESSAGE_PACK, ...(accept === undefined ? {} : { accept }) },
    body,
  });
  expect(response.status).toBe(200);
  return response;
}

async function unpacked<R>(response: Response): Promise<R> {
  expect(response.headers.get('content-type')).toBe(MESSAGE_PACK);
  const { result } = unpack(Buffer.from(await response.arrayBuffer())) as { result: R };
  return result;
}

function floats({ data }: PackedTensor): number[] {
  return [...new Float32Array(Uint8Array.from(data).buffer)];
}

const packedTensor = {
  dtype: 'float32',
  shape: [2, 3],
  data: Buffer.from(Float32Array.from(VALUES).buffer),
};

function tensorOf(data: readonly number[]): object {
  return { dtype: 'float32', shape: [2, 3], data };
}

describe('a tensor', () => {
  it.each([
    ['nested arrays', [VALUES.slice(0, 3), VALUES.slice(3)]],
    ['{ dtype, shape, data }', { dtype: 'float32', shape: [2, 3], data: VALUES }],
  ])('is read from JSON as %s', async (_, data) => {
    const { status, body } = await server.predict('double', data);
    expect(status).toBe(200);
    expect(body.result).toEqual({ dtype: 'float32', shape: [2, 3], data: DOUBLED });
  });

  it.each([0, 1, 2, 3])('is read from MessagePack bytes that start %d bytes later', async (shift) => {
    // A text before it moves the bytes to places that a Float32Array could not view.
    const body = pack({ parameters: { pad: 'x'.repeat(shift) }, data: packedTensor });
    const result = await unpacked<PackedTensor>(await predictPacked('double', body));
    expect(result).toMatchObject({ dtype: 'float32', shape: [2, 3] });
    expect(floats(result)).toEqual(DOUBLED);
  });

  it('is read from MessagePack as nested arrays, too', async () => {
    const body = pack({ data: [VALUES.slice(0, 3), VALUES.slice(3)] });
    expect(floats(await unpacked<PackedTensor>(await predictPacked('double', body)))).toEqual(DOUBLED);
  });

  it('of 64-bit integers keeps every digit', async () => {
    const { body } = await server.predict('increment', [1, '9007199254740993', '-9223372036854775808']);
    expect(body.result).toEqual({
      dtype: 'int64',
      shape: [3],
      data: [2, '9007199254740994', '-9223372036854775807'],
    });
  });

  it('of strings goes both ways', async () => {
    const { body } = await server.predict('backwards', ['ab', 'né👍']);
    expect(body.result).toEqual({ dtype: 'string', shape: [2], data: ['ba', '👍én'] });
    const result = await unpacked<object>(await predictPacked('backwards', pack({ data: ['ab', 'né👍'] })));
    expect(result).toEqual({ dtype: 'string', shape: [2], data: ['ba', '👍én'] });
  });

  it('BC-029: whose shape is a lie is refused, and its neighbours are answered', async () => {
    const [before, liar, after] = await Promise.all(
      [VALUES, VALUES.slice(0, 4), VALUES].map((data) =>
        server.predict<{ data: number[] }>('double', tensorOf(data)),
      ),
    );
    expect(liar!.status).toBe(422);
    expect([before!.body.result.data, after!.body.result.data]).toEqual([DOUBLED, DOUBLED]);
  });

  it('BC-025: is not overwritten by a later batch that uses the same buffer', async () => {
    for (const count of [10, 2, 10, 7, 10]) {
      const items = Array.from({ length: count }, (_, index) => [index, count, index * count, 1000 - index]);
      const answers = await Promise.all(
        items.map((item) => server.predict<{ data: number[] }>('reusing', item)),
      );
      expect(answers.map(({ body }) => body.result.data)).toEqual(items);
    }
  });
});

describe('the form of the answer', () => {
  it.each([
    [JSON_TYPE, undefined, JSON_TYPE],
    [JSON_TYPE, '*/*', JSON_TYPE],
    [JSON_TYPE, MESSAGE_PACK, MESSAGE_PACK],
    [JSON_TYPE, 'application/msgpack;q=0.2, application/json;q=0.9', JSON_TYPE],
    [MESSAGE_PACK, undefined, MESSAGE_PACK],
    [MESSAGE_PACK, 'application/*', MESSAGE_PACK],
    [MESSAGE_PACK, JSON_TYPE, JSON_TYPE],
    [MESSAGE_PACK, 'text/html', MESSAGE_PACK],
    ['application/x-msgpack', undefined, MESSAGE_PACK],
    ['Application/JSON; charset=utf-8', undefined, JSON_TYPE],
  ])('to %s that accepts %s is %s', async (type, accept, expected) => {
    const body = { data: [1, 'zwei'] };
    const response = await fetch(`${server.url}/models/echo/predict`, {
      method: 'POST',
      headers: { 'content-type': type, ...(accept === undefined ? {} : { accept }) },
      body: type.includes('msgpack') ? pack(body) : JSON.stringify(body),
    });
    expect(response.headers.get('content-type')!.split(';')[0]).toBe(expected);
    const bytes = Buffer.from(await response.arrayBuffer());
    const answer = (expected === MESSAGE_PACK ? unpack(bytes) : JSON.parse(bytes.toString())) as {
      result: Recorded;
    };
    expect(answer.result.data).toEqual([1, 'zwei']);
  });

  it('BC-097: MessagePack carries the numbers that JSON cannot', async () => {
    const body = pack({ data: 'not a number' });
    expect(await unpacked<object>(await predictPacked('odd', body))).toEqual({ values: [1, Number.NaN] });
  });

  it.each([JSON_TYPE, MESSAGE_PACK])(
    'BC-098, BC-103: %s carries numbers and texts unchanged',
    async (accept) => {
      const data = {
        numbers: [9e-7, 1111111.5, 0.1, 1e21, 5e-324, 0.96, -1, 2 ** 53],
        texts: ['👍🏽', 'é', '\u0000', '日本語', '\u{1F468}‍\u{1F469}', '"\\/', '\u2028'],
        empty: ['', [], {}],
        truth: [true, false, null],
      };
      const plain = await server.predict<Recorded>('echo', data);
      expect(plain.body.result.data).toEqual(data);
      const response = await predictPacked('echo', pack({ data }), accept);
      const result =
        accept === MESSAGE_PACK
          ? await unpacked<Recorded>(response)
          : ((await response.json()) as { result: Recorded }).result;
      expect(result.data).toEqual(data);
    },
  );
});
