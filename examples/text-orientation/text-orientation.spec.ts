import { Test } from '@nestjs/testing';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { renderedLine } from './rendered-line.js';
import { TextOrientationModel } from './text-orientation.model.js';
import { TextOrientationModule } from './text-orientation.module.js';

const LINES = [
  'Keep refrigerated',
  'Invoice number 4711',
  'Batch of thirty-two',
  'Model loaded',
  'Room temperature',
  'Total: 128.50 EUR',
  'Handle with care',
  'Platform 7, track 12',
  'Open daily from 9 to 5',
  'Please ring the bell',
  'Serial no. A7-3391',
  'Made of recycled paper',
  'Fragile glass inside',
  'Best before June 2030',
  'Queue here for tickets',
  'Thank you for waiting',
];

describe('text-orientation', () => {
  let model: TextOrientationModel;
  let close: () => Promise<void>;

  beforeAll(async () => {
    const app = await Test.createTestingModule({ imports: [TextOrientationModule] }).compile();
    model = app.get(TextOrientationModel);
    close = () => app.close();
  });

  afterAll(() => close());

  it.each([
    ['upright', false],
    ['upside-down', true],
  ] as const)(
    `reads ${LINES.length} lines as %s, from PNG and JPEG bytes`,
    async (orientation, upsideDown) => {
      const pictures = await Promise.all(
        LINES.map((text, index) =>
          renderedLine(text, { upsideDown, format: index % 2 === 0 ? 'png' : 'jpeg' }),
        ),
      );
      const results = await model.classify(pictures);
      expect(results).toEqual(LINES.map(() => ({ orientation, confidence: expect.any(Number) })));
    },
  );

  it('takes base64', async () => {
    const picture = await renderedLine('Handle with care', { upsideDown: true });
    const [fromText, fromBytes] = await model.classify([picture.toString('base64'), new Uint8Array(picture)]);
    expect(fromText).toMatchObject({ orientation: 'upside-down' });
    expect(fromText).toEqual(fromBytes);
  });

  it('takes transparent, grey and turned pictures as they are seen', async () => {
    const upright = await renderedLine('Fragile glass inside');
    const turned = await sharp(await renderedLine('Fragile glass inside', { upsideDown: true }))
      .withMetadata({ orientation: 3 })
      .jpeg()
      .toBuffer();
    const grey = await sharp(upright).greyscale().png().toBuffer();
    const clear = await sharp(upright).unflatten().png().toBuffer();
    for (const result of await model.classify([turned, grey, clear])) {
      expect(result).toMatchObject({ orientation: 'upright' });
    }
  });

  it('fails a broken picture alone', async () => {
    const good = await renderedLine('Room temperature');
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>');
    const results = await model.classify([
      good,
      good.subarray(0, good.length / 2),
      'no picture',
      svg,
      new Uint8Array(0),
      {} as Uint8Array,
      good,
    ]);
    expect(results[0]).toMatchObject({ orientation: 'upright' });
    expect(results[6]).toEqual(results[0]);
    for (const result of results.slice(1, 6)) {
      expect(result).toMatchObject({
        code: 'invalid_input',
        message: expect.stringMatching(/^the picture cannot be read: /),
      });
    }
  });

  it('fails every item of a batch without a picture', async () => {
    const results = await model.classify(['', 'no picture']);
    expect(results).toHaveLength(2);
    for (const result of results) expect(result).toMatchObject({ code: 'invalid_input' });
  });
});
