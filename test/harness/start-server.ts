import { writeConfiguration, type ModelSettings } from './configuration-file.js';
import { RunningServer } from './running-server.js';
import { ServerProcess } from './server-process.js';
import { waitUntil } from './wait-until.js';

/** How a test wants its server. */
export interface ServerOptions {
  /** The `models` part of the configuration file. */
  readonly models: Readonly<Record<string, ModelSettings>>;
  readonly environment?: Readonly<Record<string, string>>;
  /** Arguments of the command line. */
  readonly args?: readonly string[];
  /** `listening`: do not wait for the models. */
  readonly until?: 'ready' | 'listening';
}

/** Starts the built server on a free port. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { models, environment, args, until = 'ready' } = options;
  const process = new ServerProcess(
    {
      PORT: '0',
      SMARTBATCH_CONFIG: writeConfiguration(models),
      SMARTBATCH_DEVICES: 'cpu',
      ...environment,
    },
    args,
  );
  try {
    const server = new RunningServer(process, await listeningUrl(process));
    if (until === 'ready') await server.untilReady();
    return server;
  } catch (error) {
    // Nobody gets to know of it who could stop it.
    process.kill('SIGKILL');
    throw error;
  }
}

async function listeningUrl(process: ServerProcess): Promise<string> {
  let url: string | undefined;
  await waitUntil('the server listens', () => {
    if (process.hasEnded) throw new Error(`the server ended:\n${process.stderrLines.join('\n')}`);
    const line = process.stdoutLines.find((candidate) => candidate.includes('"msg":"listening"'));
    if (line !== undefined) ({ url } = JSON.parse(line) as { url: string });
    return url !== undefined;
  });
  return url!;
}
