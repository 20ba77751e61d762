import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import type { Load } from '../participants/participant.js';
import type { Body } from './body-files.js';

const run = promisify(execFile);
const SCRIPT = 'bench/wrk/post.lua';

/** What wrk found. */
export interface WrkResult {
  readonly requests: number;
  readonly seconds: number;
  readonly failed: number;
  /** Milliseconds. */
  readonly latencyMs: { readonly p50: number; readonly p90: number; readonly p99: number };
}

/** Whether wrk can be run. */
export function isWrkInstalled(): boolean {
  return spawnSync('wrk', ['--version']).error === undefined;
}

/** Posts the bodies in turn for as long as the load says. */
export async function runWrk(url: string, body: Body, { connections, seconds }: Load): Promise<WrkResult> {
  const { stdout } = await run('wrk', [
    // One thread is enough for these rates, and leaves more of the machine to the server.
    '--threads=1',
    `--connections=${connections}`,
    `--duration=${seconds}s`,
    '--timeout=30s',
    `--script=${SCRIPT}`,
    url,
    '--',
    `content-type: ${body.contentType}`,
    `accept: ${body.contentType}`,
    ...body.files.map((file) => `@${file}`),
  ]);
  const line = stdout.trimEnd().split('\n').at(-1)!;
  const result = JSON.parse(line) as Record<string, number>;
  const { requests, failedStatus, failedTransport, p50, p90, p99, seconds: elapsed } = result;
  if (requests === 0) throw new Error(`${url} answered no request in ${seconds} s`);
  return {
    requests: requests!,
    seconds: elapsed!,
    failed: failedStatus! + failedTransport!,
    latencyMs: { p50: p50!, p90: p90!, p99: p99! },
  };
}
