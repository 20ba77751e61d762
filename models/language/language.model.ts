import { BatchedHandler, tensor } from '#model';
import { OnnxSession } from '#onnx';
import { Injectable } from '@nestjs/common';
import { readFileSync } from 'node:fs';
import { NGRAMS, writeNgramFeatures } from './ngram-features.js';

const CANDIDATES = 3;

/** The languages in the order of the model's outputs: ISO 639-3 code and English name. */
const LANGUAGES = Object.entries(
  JSON.parse(readFileSync(new URL('./languages.json', import.meta.url), 'utf8')) as Record<string, string>,
);

/** One language that a text may be written in. */
export interface LanguageCandidate {
  /** ISO 639-3 code. */
  readonly language: string;
  /** English name. */
  readonly name: string;
  /** Probability, 0 to 1. */
  readonly confidence: number;
}

/** The most probable language, and the few most probable ones, best first. */
export interface LanguageResult extends LanguageCandidate {
  readonly candidates: readonly LanguageCandidate[];
}

const CANDIDATE_PROPERTIES = {
  language: { type: 'string', description: 'ISO 639-3 code' },
  name: { type: 'string', description: 'English name' },
  confidence: { type: 'number', minimum: 0, maximum: 1 },
};

/** Names the language of a text, one of 50. */
@Injectable()
export class LanguageModel {
  constructor(private readonly session: OnnxSession) {}

  /** One run for the whole batch, one result a text. */
  @BatchedHandler({
    name: 'language',
    version: '1',
    maxBatchSize: 64,
    warmup: ['Where is the station?', 'Wo ist der Bahnhof?', 'Где находится вокзал?'],
    input: { type: 'string', minLength: 1, maxLength: 10_000 },
    output: {
      type: 'object',
      required: ['language', 'name', 'confidence', 'candidates'],
      properties: {
        ...CANDIDATE_PROPERTIES,
        candidates: {
          type: 'array',
          maxItems: CANDIDATES,
          items: {
            type: 'object',
            required: ['language', 'name', 'confidence'],
            properties: CANDIDATE_PROPERTIES,
          },
        },
      },
    },
    example: 'Die Antwort kommt, bevor du bis drei gezählt hast.',
    description: 'Names the language that a text is written in, one of 50.',
  })
  async identify(batch: string[]): Promise<LanguageResult[]> {
    const features = new Float32Array(batch.length * NGRAMS.length);
    batch.forEach((text, index) => {
      writeNgramFeatures(text, features.subarray(index * NGRAMS.length, (index + 1) * NGRAMS.length));
    });
    const { probabilities } = await this.session.run({
      features: tensor('float32', [batch.length, NGRAMS.length], features),
    });
    const rows = probabilities!.data as Float32Array;
    return batch.map((_, index) =>
      languageResult(rows.subarray(index * LANGUAGES.length, (index + 1) * LANGUAGES.length)),
    );
  }
}

function languageResult(row: Float32Array): LanguageResult {
  const candidates = LANGUAGES.map(([language, name], index) => ({ language, name, confidence: row[index]! }))
    .sort((a, b) => b.confidence - a.confidence)
    .slice(0, CANDIDATES);
  return { ...candidates[0]!, candidates };
}
