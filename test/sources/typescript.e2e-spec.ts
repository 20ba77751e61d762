import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startServer } from '../harness/start-server.js';
import { stopAndCheck } from '../harness/stop-and-check.js';
import type { RunningServer } from '../harness/running-server.js';

const SHOUT = `
import { BatchedHandler } from '#model';
import { Injectable, Module } from '@nestjs/common';
import { Voice } from './voice.js';
import { ShoutInput } from './shout-input.js';

@Injectable()
class Shout {
  // Injected by its type, which only decorator metadata tell.
  constructor(private readonly voice: Voice) {}

  @BatchedHandler({ name: 'shout', input: ShoutInput })
  shout(batch: readonly ShoutInput[]): string[] {
    return batch.map(({ text }) => this.voice.raised(text));
  }
}

@Module({ providers: [Shout, Voice] })
export class ShoutModule {}
`;
const VOICE = `
import { Injectable } from '@nestjs/common';

@Injectable()
export class Voice {
  raised(text: string): string {
    return text.toUpperCase() satisfies string;
  }
}
`;
const INPUT = `
import { IsString } from 'class-validator';

export class ShoutInput {
  @IsString()
  text!: string;
}
`;

// Inside the project, where the model's own imports are found.
const folder = mkdtempSync('dist/test/typescript-');
writeFileSync(join(folder, 'shout.module.ts'), SHOUT);
writeFileSync(join(folder, 'voice.ts'), VOICE);
writeFileSync(join(folder, 'shout-input.ts'), INPUT);
afterAll(() => rmSync(folder, { recursive: true }));

describe('a model in TypeScript', () => {
  let server: RunningServer;
  beforeAll(async () => {
    const module = join(process.cwd(), folder, 'shout.module.ts');
    server = await startServer({ models: { shout: { module } } });
  });
  afterAll(() => stopAndCheck(server));

  it('runs without a build, with injection by type and a DTO from files of its own', async () => {
    expect((await server.predict('shout', { text: 'hey' })).body.result).toBe('HEY');
    const { status, body } = await server.predict('shout', { text: 1 });
    expect([status, body.errors?.[0]?.field]).toEqual([422, '/data/text']);
  });
});
