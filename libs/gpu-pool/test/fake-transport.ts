import type { FromWorker, ToWorker, WorkerExit, WorkerTransport } from '../src/index.js';

/** A worker that the test plays. */
export class FakeTransport implements WorkerTransport {
  onMessage: (message: FromWorker) => void = () => undefined;
  onExit: (exit: WorkerExit) => void = () => undefined;
  /** What it was told. */
  readonly messages: ToWorker[] = [];

  constructor(readonly device = 'cpu') {}

  post(message: ToWorker): void {
    this.messages.push(message);
  }

  get types(): string[] {
    return this.messages.map(({ type }) => type);
  }

  /** Answers as a worker that loads without trouble. */
  answerLoad(): void {
    this.onMessage({ type: 'loaded', manifest: { handler: {}, input: {}, output: {} } });
  }

  answerStart(): void {
    this.onMessage({ type: 'ready', batchSizeLimit: 32 });
  }

  /** Gives every item of the batch that it was told last back. */
  answerRun(): void {
    const run = this.messages.findLast((message) => message.type === 'run')!;
    this.onMessage({ type: 'result', batch: run.batch, values: run.values, errors: [] });
  }

  die(exitCode = 1): void {
    this.onExit({ error: undefined, exitCode });
  }
}
