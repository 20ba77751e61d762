import { ServingError } from '#model';
import sharp from 'sharp';

/** Height and greatest width of a line of text as the model takes it, in pixels. */
const HEIGHT = 48;
const WIDTH = 192;
const PLANE = HEIGHT * WIDTH;

/** Shape of one picture: blue, green and red plane. */
export const PICTURE_SHAPE = [3, HEIGHT, WIDTH] as const;

/** 25 megapixels: far above any line of text, far below what would fill the memory. */
const MOST_PIXELS = 25_000_000;

/**
 * Decodes a JPEG or PNG and scales it to 48 pixels of height; a line that is then shorter than 192 pixels is
 * followed by grey, a longer one is squeezed.
 *
 * @param source the file's bytes, or the same in base64
 * @returns values from −1 to 1 of shape {@link PICTURE_SHAPE}
 * @throws {ServingError} `invalid_input` when it is no such file, is broken, or has over 25 megapixels
 */
export async function linePicture(source: unknown): Promise<Float32Array<ArrayBuffer>> {
  const bytes = typeof source === 'string' ? Buffer.from(source, 'base64') : source;
  if (!(bytes instanceof Uint8Array)) throw unreadable('it is neither bytes nor a base64 string');
  // Looked at before the decoder is: it knows many formats, and SVG and others do not belong here.
  if (!isJpegOrPng(bytes)) throw unreadable('it is no JPEG or PNG file');
  try {
    return toPlanes(await readPixels(bytes));
  } catch (cause) {
    throw unreadable(cause instanceof Error ? cause.message : String(cause), cause);
  }
}

interface Pixels {
  /** Red, green and blue of each pixel, row by row. */
  readonly data: Uint8Array;
  /** Pixels of one row. */
  readonly width: number;
}

async function readPixels(bytes: Uint8Array): Promise<Pixels> {
  const image = sharp(bytes, { limitInputPixels: MOST_PIXELS, failOn: 'error' });
  // The size that a viewer shows: cameras store a turned picture with a note.
  const { width, height } = (await image.metadata()).autoOrient;
  const scaledWidth = Math.min(WIDTH, Math.max(1, Math.ceil((HEIGHT * width) / height)));
  const { data, info } = await image
    .autoOrient()
    .flatten({ background: 'white' })
    .toColourspace('srgb')
    .resize({ width: scaledWidth, height: HEIGHT, fit: 'fill' })
    .raw()
    .toBuffer({ resolveWithObject: true });
  if (info.channels !== 3) throw new Error(`it has ${info.channels} colour channels`);
  return { data, width: info.width };
}

function toPlanes({ data, width }: Pixels): Float32Array<ArrayBuffer> {
  const planes = new Float32Array(3 * PLANE);
  for (let y = 0; y < HEIGHT; y++) {
    for (let x = 0; x < width; x++) {
      const from = 3 * (y * width + x);
      const to = y * WIDTH + x;
      // The model was trained on pictures with blue first.
      for (let plane = 0; plane < 3; plane++)
        planes[plane * PLANE + to] = data[from + 2 - plane]! / 127.5 - 1;
    }
  }
  return planes;
}

function isJpegOrPng(bytes: Uint8Array): boolean {
  const starts = (...magic: number[]) => magic.every((byte, index) => bytes[index] === byte);
  return starts(0xff, 0xd8, 0xff) || starts(0x89, 0x50, 0x4e, 0x47);
}

function unreadable(reason: string, cause?: unknown): ServingError {
  const message = `the picture cannot be read: ${reason}`;
  return new ServingError('invalid_input', message, { faults: [{ field: '/data', message }], cause });
}
