import { tensor } from '#model';
import { OnnxSession } from '#onnx';
import { Test } from '@nestjs/testing';
import lande from 'lande';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LanguageModel } from './language.model.js';
import { LanguageModule } from './language.module.js';
import { NGRAMS, writeNgramFeatures } from './ngram-features.js';

const SENTENCES: readonly (readonly [language: string, text: string])[] = [
  ['eng', 'The train to the coast leaves every morning at seven.'],
  ['deu', 'Der Zug an die Küste fährt jeden Morgen um sieben Uhr ab.'],
  ['fra', 'Le train pour la côte part tous les matins à sept heures.'],
  ['spa', 'El tren hacia la costa sale todas las mañanas a las siete.'],
  ['ita', 'Il treno per la costa parte ogni mattina alle sette.'],
  ['nld', 'De trein naar de kust vertrekt elke ochtend om zeven uur.'],
  ['pol', 'Pociąg nad morze odjeżdża codziennie rano o siódmej.'],
  ['fin', 'Juna rannikolle lähtee joka aamu kello seitsemän.'],
  ['hun', 'A tengerpartra induló vonat minden reggel hét órakor megy el.'],
  ['tur', 'Sahile giden tren her sabah saat yedide kalkıyor.'],
  ['rus', 'Поезд на побережье отправляется каждое утро в семь часов.'],
  ['ell', 'Το τρένο για την ακτή φεύγει κάθε πρωί στις επτά.'],
  ['heb', 'הרכבת אל החוף יוצאת כל בוקר בשבע.'],
  ['ara', 'يغادر القطار إلى الساحل كل صباح في الساعة السابعة.'],
  ['hin', 'तट की ओर जाने वाली ट्रेन हर सुबह सात बजे निकलती है।'],
  ['kor', '해안으로 가는 기차는 매일 아침 일곱 시에 떠납니다.'],
  ['jpn', '海岸行きの電車は毎朝七時に出発します。'],
  ['vie', 'Chuyến tàu ra bờ biển khởi hành lúc bảy giờ mỗi buổi sáng.'],
];

/** Texts that are no sentences, for which only agreement with the original counts. */
const ODDITIES = ['7', ' ', '-- ...!', 'a', 'İSTANBUL', '🙂', '__proto__', 'constructor', 'x'.repeat(10_000)];

describe('language', () => {
  let session: OnnxSession;
  let model: LanguageModel;
  let close: () => Promise<void>;

  beforeAll(async () => {
    const app = await Test.createTestingModule({ imports: [LanguageModule] }).compile();
    session = app.get(OnnxSession, { strict: false });
    model = app.get(LanguageModel);
    close = () => app.close();
  });

  afterAll(() => close());

  it(`names ${SENTENCES.length} languages in one batch`, async () => {
    const results = await model.identify(SENTENCES.map(([, text]) => text));
    expect(results.map(({ language }) => language)).toEqual(SENTENCES.map(([language]) => language));
    for (const { confidence, candidates } of results) {
      expect(candidates).toHaveLength(3);
      expect(candidates[0]!.confidence).toBe(confidence);
      expect(candidates[1]!.confidence).toBeLessThanOrEqual(confidence);
    }
  });

  it('gives the probabilities of the original, for every language of every text', async () => {
    const codes = Object.keys(
      JSON.parse(readFileSync(new URL('./languages.json', import.meta.url), 'utf8')) as object,
    );
    for (const text of [...SENTENCES.map(([, sentence]) => sentence), ...ODDITIES]) {
      const features = new Float32Array(NGRAMS.length);
      writeNgramFeatures(text, features);
      const { probabilities } = await session.run({
        features: tensor('float32', [1, NGRAMS.length], features),
      });
      const expected = new Map<string, number>(lande(text));
      expect([...expected.keys()].toSorted()).toEqual(codes);
      codes.forEach((code, index) => {
        const difference = Math.abs((probabilities!.data[index] as number) - expected.get(code)!);
        expect(difference).toBeLessThan(1e-4);
      });
    }
  });
});
