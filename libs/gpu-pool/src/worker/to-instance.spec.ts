import { tensor } from '#model';
import { Type } from 'class-transformer';
import { describe, expect, it } from 'vitest';
import { toInstance } from './to-instance.js';

class Point {
  x: number;

  get doubled(): number {
    return 2 * this.x;
  }
}

class Shape {
  @Type(() => Point)
  centre: Point;

  @Type(() => Point)
  corners: Point[];

  @Type(() => Number)
  weights: number[];

  @Type(() => Date)
  madeAt: string;

  pixels: unknown;
}

class NamedShape extends Shape {
  name: string;
}

describe('giving plain values their classes', () => {
  it('reaches nested objects and lists of them', () => {
    const shape = toInstance(Shape, { centre: { x: 1 }, corners: [{ x: 2 }, { x: 3 }] }) as Shape;
    expect(shape).toBeInstanceOf(Shape);
    expect(shape.centre.doubled).toBe(2);
    expect(shape.corners.map(({ doubled }) => doubled)).toEqual([4, 6]);
  });

  it('reaches what a parent class declares', () => {
    const shape = toInstance(NamedShape, { name: 'n', centre: { x: 5 } }) as NamedShape;
    expect(shape).toBeInstanceOf(NamedShape);
    expect(shape.centre).toBeInstanceOf(Point);
  });

  it('hands tensors on without copying them', () => {
    const pixels = tensor('float32', [2], Float32Array.of(1, 2));
    expect((toInstance(Shape, { pixels }) as Shape).pixels).toBe(pixels);
  });

  it('leaves numbers and texts what they are, also in lists', () => {
    const shape = toInstance(Shape, { weights: [1, 2.5], madeAt: '2026-01-01' }) as Shape;
    expect(shape.weights).toEqual([1, 2.5]);
    expect(shape.madeAt).toBe('2026-01-01');
  });

  it('leaves null and missing members alone, and the value that it was given', () => {
    const value = { centre: null, corners: [{ x: 1 }] };
    const shape = toInstance(Shape, value) as Shape;
    expect(shape.centre).toBeNull();
    expect('pixels' in shape).toBe(false);
    expect(value.corners[0]).not.toBeInstanceOf(Point);
  });
});
