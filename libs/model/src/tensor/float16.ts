const SMALLEST_NORMAL = 2 ** -14;
const SUBNORMAL_STEP = 2 ** -24;

/** The number that the bits of a float16 (IEEE 754 binary16) stand for. */
export function fromFloat16(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0x1f) return fraction === 0 ? sign * Infinity : NaN;
  if (exponent === 0) return sign * fraction * SUBNORMAL_STEP;
  return sign * 2 ** (exponent - 15) * (1 + fraction / 1024);
}

/** The bits of the float16 nearest to a number, ties to even; beyond ±65,504 an infinity. */
export function toFloat16(value: number): number {
  if (Number.isNaN(value)) return 0x7e00;
  const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0;
  const magnitude = Math.abs(value);
  if (magnitude < SMALLEST_NORMAL) return sign | roundToEven(magnitude / SUBNORMAL_STEP);
  if (magnitude >= 65_520) return sign | 0x7c00;
  let exponent = Math.floor(Math.log2(magnitude));
  // log2 may round up to the next power of two.
  if (2 ** exponent > magnitude) exponent--;
  // Not masked: a fraction that rounds up to 1024 is the next exponent.
  return sign | (((exponent + 15) << 10) + roundToEven((magnitude / 2 ** exponent - 1) * 1024));
}

function roundToEven(value: number): number {
  const floor = Math.floor(value);
  const rest = value - floor;
  if (rest !== 0.5) return rest < 0.5 ? floor : floor + 1;
  return floor % 2 === 0 ? floor : floor + 1;
}
