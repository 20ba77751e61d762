import { fromFloat16, type Tensor } from '#model';

/** A tensor as a reader of the API description would send it: nested lists of plain values, rounded. */
export function nestedLists({ dtype, shape, data }: Tensor): unknown {
  const elements = Array.from(data as ArrayLike<number | bigint | string>, (element) => {
    if (typeof element === 'string') return element;
    if (dtype === 'bool') return Boolean(element);
    const value = dtype === 'float16' ? fromFloat16(Number(element)) : Number(element);
    return Number(value.toPrecision(4));
  });
  return nest(elements, shape);
}

function nest(elements: readonly unknown[], shape: readonly number[]): unknown {
  const [length, ...rest] = shape;
  if (length === undefined) return elements[0];
  const size = elements.length / length;
  return Array.from({ length }, (_, index) => nest(elements.slice(index * size, (index + 1) * size), rest));
}
