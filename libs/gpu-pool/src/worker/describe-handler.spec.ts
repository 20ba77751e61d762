import { tensorSchema } from '#model';
import { IsInt, IsString } from 'class-validator';
import { describe, expect, it } from 'vitest';
import { describeHandler } from './describe-handler.js';

class Question {
  @IsString()
  text: string;
}

class Answer {
  @IsInt()
  score: number;
}

describe('what a handler says of itself', () => {
  it('is nothing but open schemas when it says nothing', () => {
    expect(describeHandler({})).toEqual({
      manifest: { handler: {}, input: {}, output: {} },
      inputClass: undefined,
      warmup: [],
      cost: undefined,
    });
  });

  it('can be sent to another thread, classes and functions and all', () => {
    const cost = (item: Question) => item.text.length;
    const options = {
      name: 'm',
      maxBatchSize: 3,
      example: { text: 'why' },
      input: Question,
      output: Answer,
      cost,
    };
    const description = describeHandler(options);
    expect(structuredClone(description.manifest)).toEqual(description.manifest);
    expect(description.manifest.handler).toEqual({ name: 'm', maxBatchSize: 3, example: { text: 'why' } });
    expect(description.manifest.input).toMatchObject({ properties: { text: { type: 'string' } } });
    expect(description.manifest.output).toMatchObject({ properties: { score: { type: 'integer' } } });
    expect(description.inputClass).toBe(Question);
    expect(description.cost).toBe(cost);
  });

  it('keeps a JSON Schema as it is written, and a built-in cost by its name', () => {
    const input = tensorSchema('float32', [3]);
    const { manifest, inputClass, cost } = describeHandler({ name: 'm', input, cost: 'bytes' });
    expect(manifest).toEqual({ handler: { name: 'm', cost: 'bytes' }, input, output: {} });
    expect([inputClass, cost]).toEqual([undefined, undefined]);
  });
});
