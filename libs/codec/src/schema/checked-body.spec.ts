import { SerializedItem, type JsonSchema } from '#model';
import { serialize } from 'node:v8';
import { describe, expect, it } from 'vitest';
import { CheckedBody } from './checked-body.js';
import { InputValidator } from './input-validator.js';

const TEXT: JsonSchema = { type: 'string' };

function checked(isList: boolean, ...texts: string[]): CheckedBody {
  const items = texts.map(
    (text) => new SerializedItem(serialize(text), { bytes: 1, elements: 1, length: text.length }),
  );
  return new CheckedBody(JSON.stringify(TEXT), { items, isList, parameters: { lang: 'en' } });
}

describe('a body that was checked elsewhere', () => {
  it('is not read again where the description is the same', () => {
    const body = checked(true, 'a', 'b');
    expect(new InputValidator({ ...TEXT }).validate(body)).toBe(body.envelope);
  });

  it.each([
    [checked(false, 'a'), ['a'], false],
    [checked(true, 'a', 'b'), ['a', 'b'], true],
  ])('is restored for another description', (body, items, isList) => {
    const other = new InputValidator({ type: 'string', maxLength: 3 });
    expect(other.validate(body)).toEqual({ items, isList, parameters: { lang: 'en' } });
  });

  it('is refused where it does not fit that one', () => {
    expect(() => new InputValidator({ type: 'number' }).validate(checked(false, 'a'))).toThrow(
      '/data must be number',
    );
  });
});
