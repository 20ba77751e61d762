import { isMainThread } from 'node:worker_threads';
import { processCounts } from './process-counts.js';

/*
 * Imported before a server (`--import`), so that the process that started it can ask what it holds.
 */
if (isMainThread && process.send !== undefined) {
  process.on('message', () => process.send!(processCounts()));
  // Being asked must not keep it alive.
  process.channel!.unref();
}
