import 'reflect-metadata';
import { DirectoryInUseError } from '#registry';
import { createLogger } from '#telemetry';
import { loadSettings, type Settings } from './config/load-settings.js';
import { SettingError } from './config/setting-error.js';
import { createServer } from './create-server.js';
import { stopOnSignals } from './stop-on-signals.js';

/** Ends a start that cannot succeed with the one line that says why. */
function refuseToStart(error: unknown): never {
  const isExpected = error instanceof SettingError;
  process.stderr.write(`smartbatch: ${isExpected ? error.message : String((error as Error).stack)}\n`);
  process.exit(1);
}

function readSettings(): Settings {
  try {
    return loadSettings(process.env, process.argv.slice(2));
  } catch (error) {
    return refuseToStart(error);
  }
}

const settings = readSettings();
const logger = createLogger(settings.log_level);
const app = await createServer(settings, logger).catch(refuseToStart);
stopOnSignals(app, logger, settings.shutdown_timeout * 1000);
await app.init().catch((error: unknown) => {
  const isInUse = error instanceof DirectoryInUseError;
  refuseToStart(isInUse ? new SettingError(`SMARTBATCH_STATE_DIR ${error.message}`) : error);
});
try {
  await app.listen({ host: settings.host, port: settings.port });
  logger.info({ url: await app.getUrl() }, 'listening');
} catch (error) {
  await app.close();
  const { code } = error as NodeJS.ErrnoException;
  const reason = code === 'EADDRINUSE' ? 'is in use' : `cannot be listened on (${code ?? String(error)})`;
  refuseToStart(new SettingError(`port ${settings.port} on ${settings.host} ${reason}`));
}
