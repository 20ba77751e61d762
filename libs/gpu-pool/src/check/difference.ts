import { fromFloat16, isTensor, type DataType, type Tensor, type TypedArray } from '#model';

/**
 * How far a float may lie from what it should be: `ABSOLUTE + RELATIVE · |expected|`. A batch is computed in another
 * order than a single item, which moves the last digits; a wrong row is off by far more.
 */
const ABSOLUTE = 1e-4;
const RELATIVE = 1e-3;
/** Ten times as much for float16, which has three digits. */
const FLOAT16_FACTOR = 10;

/**
 * The first place at which two results differ, in words; `undefined` when they are equal. Floats may differ within a
 * tolerance; integers, texts and everything else must be the same.
 *
 * @param path where they stand, as a JSON pointer
 */
export function differenceBetween(expected: unknown, actual: unknown, path = ''): string | undefined {
  if (expected instanceof Error || actual instanceof Error) return betweenErrors(expected, actual);
  if (typeof expected === 'number' && typeof actual === 'number') {
    const areIntegers = Number.isInteger(expected) && Number.isInteger(actual);
    return (areIntegers ? expected === actual : isClose(expected, actual))
      ? undefined
      : say(path, expected, actual);
  }
  if (typeof expected !== 'object' || typeof actual !== 'object' || expected === null || actual === null) {
    return Object.is(expected, actual) ? undefined : say(path, expected, actual);
  }
  if (isTensor(expected) && isTensor(actual)) return betweenTensors(expected, actual, path);
  if (ArrayBuffer.isView(expected) && ArrayBuffer.isView(actual)) {
    return betweenArrays(expected as TypedArray, actual as TypedArray, path);
  }
  return betweenMembers(expected as Members, actual as Members, path);
}

type Members = Readonly<Record<string, unknown>>;

/** An error stands for its item: what was wrong with it may be said in other words in a batch. */
function betweenErrors(expected: unknown, actual: unknown): string | undefined {
  if (!(actual instanceof Error))
    return `it has a result, and alone it failed: ${(expected as Error).message}`;
  return expected instanceof Error ? undefined : `it failed: ${actual.message}`;
}

function betweenTensors(expected: Tensor, actual: Tensor, path: string): string | undefined {
  const [a, b] = [expected, actual].map(({ dtype, shape }) => `${dtype} [${shape.join(', ')}]`);
  if (a !== b) return `${at(path)} is a ${b} in place of a ${a}`;
  if (expected.dtype === 'string') return betweenMembers(expected.data as never, actual.data as never, path);
  return betweenArrays(expected.data as TypedArray, actual.data as TypedArray, path, expected.dtype);
}

function betweenArrays(
  expected: TypedArray,
  actual: TypedArray,
  path: string,
  dtype?: DataType,
): string | undefined {
  if (expected.length !== actual.length) {
    return `${at(path)} has ${actual.length} elements in place of ${expected.length}`;
  }
  const isFloat = expected instanceof Float32Array || expected instanceof Float64Array;
  for (let index = 0; index < expected.length; index++) {
    const [a, b] = [expected[index]!, actual[index]!];
    if (a === b) continue;
    if (isFloat && isClose(Number(a), Number(b))) continue;
    if (dtype === 'float16') {
      if (isClose(fromFloat16(Number(a)), fromFloat16(Number(b)), FLOAT16_FACTOR)) continue;
      return say(`${path}/${index}`, fromFloat16(Number(a)), fromFloat16(Number(b)));
    }
    return say(`${path}/${index}`, a, b);
  }
  return undefined;
}

function betweenMembers(expected: Members, actual: Members, path: string): string | undefined {
  for (const name of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
    const found = differenceBetween(expected[name], actual[name], `${path}/${name}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isClose(expected: number, actual: number, factor = 1): boolean {
  if (Object.is(expected, actual) || expected === actual) return true;
  return Math.abs(expected - actual) <= factor * (ABSOLUTE + RELATIVE * Math.abs(expected));
}

function say(path: string, expected: unknown, actual: unknown): string {
  return `${at(path)} is ${text(actual)} in place of ${text(expected)}`;
}

function at(path: string): string {
  return path === '' ? 'the result' : path;
}

/** Results may be long, and reasons are read by people. */
function text(value: unknown): string {
  return (typeof value === 'bigint' ? String(value) : (JSON.stringify(value) ?? String(value))).slice(0, 80);
}
