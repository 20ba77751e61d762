import { IsTensor } from '#model';
import { Ajv } from 'ajv';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsIn,
  IsInt,
  IsNumber,
  IsOptional,
  IsString,
  Matches,
  Max,
  MaxLength,
  Min,
  MinLength,
  ValidateIf,
  ValidateNested,
} from 'class-validator';
import { describe, expect, it } from 'vitest';
import { schemaOfClass } from './schema-of-class.js';

class Box {
  @IsInt()
  @Min(0)
  @Max(9)
  width: number;
}

class Base {
  @IsString()
  @MinLength(2)
  @MaxLength(4)
  id: string;
}

class Scene extends Base {
  @ValidateNested()
  @Type(() => Box)
  box: Box;

  @IsArray()
  @ArrayMaxSize(2)
  @ValidateNested({ each: true })
  @Type(() => Box)
  boxes: Box[];

  @IsOptional()
  @IsNumber({}, { each: true })
  weights?: number[];

  @IsIn(['day', 'night'])
  light: string;
}

class Picture {
  @IsTensor('float32', [3, null])
  pixels: unknown;
}

class Tree {
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => Tree)
  children: Tree[];
}

class Insensitive {
  @Matches(/^yes$/i)
  answer: string;
}

class Conditional {
  @IsString()
  kind: string;

  @ValidateIf(({ kind }: Conditional) => kind === 'text')
  @IsString()
  text: string;
}

function accepts(dto: Parameters<typeof schemaOfClass>[0]): (value: unknown) => boolean {
  const validate = new Ajv({ strict: false, validateFormats: false }).compile(schemaOfClass(dto));
  return (value) => validate(value);
}

const GOOD = { id: 'abc', box: { width: 3 }, boxes: [{ width: 9 }], light: 'day' };

describe('the schema of a class', () => {
  it('takes what the class describes', () => {
    expect(accepts(Scene)(GOOD)).toBe(true);
    expect(accepts(Scene)({ ...GOOD, weights: [0.5, 1], boxes: [] })).toBe(true);
  });

  it.each([
    ['a missing property', { box: { width: 3 }, boxes: [], light: 'day' }],
    ['a property that the class has not', { ...GOOD, colour: 'red' }],
    ['a nested property that the class has not', { ...GOOD, box: { width: 3, height: 4 } }],
    ['a nested property out of range', { ...GOOD, box: { width: 10 } }],
    ['a nested property of a wrong type', { ...GOOD, boxes: [{ width: '3' }] }],
    ['too many elements', { ...GOOD, boxes: [{ width: 1 }, { width: 2 }, { width: 3 }] }],
    ['an element of a wrong type', { ...GOOD, weights: [0.5, 'x'] }],
    ["a bad value of the parent class's property", { ...GOOD, id: 'a' }],
    ['a value that is not listed', { ...GOOD, light: 'dusk' }],
  ])('refuses %s', (_, value) => {
    expect(accepts(Scene)(value)).toBe(false);
  });

  it('says of a tensor its dtype and shape', () => {
    const { properties } = schemaOfClass(Picture) as { properties: Record<string, unknown> };
    expect(properties).toEqual({ pixels: { tensor: { dtype: 'float32', shape: [3, null] } } });
  });

  it('follows a class that holds itself', () => {
    expect(accepts(Tree)({ children: [{ children: [] }] })).toBe(true);
    expect(accepts(Tree)({ children: [{ children: [{ leaves: 1 }] }] })).toBe(false);
  });

  it('leaves a pattern with flags to the class, since a schema has none', () => {
    expect(accepts(Insensitive)({ answer: 'YES' })).toBe(true);
    expect(accepts(Insensitive)({ answer: 5 })).toBe(false);
  });

  it('leaves a property that is only sometimes checked to the class', () => {
    expect(accepts(Conditional)({ kind: 'text', text: 'a' })).toBe(true);
    expect(accepts(Conditional)({ kind: 'silence' })).toBe(true);
  });
});
