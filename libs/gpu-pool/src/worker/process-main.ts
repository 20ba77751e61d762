import 'reflect-metadata';
import { Socket } from 'node:net';
import { Worker } from 'node:worker_threads';
import type { FromWorker, ToWorker } from '../protocol/worker-messages.js';
import { encodeFrame } from '../transport/frame/encode-frame.js';
import { FrameReader } from '../transport/frame/frame-reader.js';
import { ModelWorker } from './model-worker.js';

/** The first file of a worker process. */

/** A model that logs faster than the server reads loses lines, not memory. */
const MOST_WAITING_BYTES = 2 ** 20;

const channel = new Socket({ fd: 3 });
const worker = new ModelWorker({
  post: (message: FromWorker, transfer: readonly ArrayBuffer[] = []) => {
    if (message.type === 'log' && channel.writableLength > MOST_WAITING_BYTES) return;
    const parts = encodeFrame(message, transfer);
    channel.cork();
    for (const part of parts) channel.write(part);
    channel.uncork();
  },
  close: () => channel.end(() => process.exit(0)),
  quit: () => process.exit(0),
  memoryBytes: () => process.memoryUsage.rss(),
});
const reader = new FrameReader<ToWorker>((message) => worker.receive(message));
channel.on('data', (chunk) => reader.push(chunk));
channel.on('error', () => undefined);
// The server is gone, and with it everybody who wanted an answer.
channel.on('close', () => process.exit(0));

// Ctrl-C and service managers signal the whole group. The server says when its workers have done their part.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined);

new Worker(new URL('./lifeline.js', import.meta.url), {
  resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2 },
}).unref();
