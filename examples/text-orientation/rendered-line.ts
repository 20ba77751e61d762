import sharp from 'sharp';

/** How a line of text is drawn. */
export interface LineStyle {
  /** Turned by half a turn. */
  readonly upsideDown?: boolean;
  readonly format?: 'png' | 'jpeg';
}

/** Draws a line of text, black on white, in whatever sans-serif font the machine has, as a PNG or JPEG file. */
export function renderedLine(
  text: string,
  { upsideDown = false, format = 'png' }: LineStyle = {},
): Promise<Buffer> {
  const width = 24 + 17 * text.length;
  const svg =
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="48">` +
    `<rect width="100%" height="100%" fill="white"/>` +
    `<text x="12" y="34" font-family="DejaVu Sans, sans-serif" font-size="28">${text}</text></svg>`;
  return sharp(Buffer.from(svg))
    .rotate(upsideDown ? 180 : 0)
    .flatten({ background: 'white' })
    .toFormat(format)
    .toBuffer();
}
