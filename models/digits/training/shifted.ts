const SIDE = 28;

/** Moves a 28 × 28 picture by whole pixels. What leaves at one side is lost, what comes in is blank. */
export function shifted(pixels: Float32Array, right: number, down: number): Float32Array {
  const moved = new Float32Array(pixels.length);
  for (let y = Math.max(0, down); y < Math.min(SIDE, SIDE + down); y++) {
    for (let x = Math.max(0, right); x < Math.min(SIDE, SIDE + right); x++) {
      moved[y * SIDE + x] = pixels[(y - down) * SIDE + (x - right)]!;
    }
  }
  return moved;
}
