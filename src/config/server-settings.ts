import { LOG_LEVELS, type LogLevelName } from '#telemetry';
import {
  ArrayNotEmpty,
  IsIn,
  IsInt,
  IsNotEmpty,
  IsNumber,
  IsString,
  Matches,
  Max,
  Min,
} from 'class-validator';

const MEBIBYTE = 2 ** 20;

/** The settings of the server, without its models. Each has its name in the configuration file. */
export class ServerSettings {
  /** Address to listen on. */
  @IsString()
  @IsNotEmpty()
  host = '127.0.0.1';

  /** Port to listen on; 0 for any free one. */
  @IsInt()
  @Min(0)
  @Max(65_535)
  port = 8000;

  /** Largest request body, in bytes. */
  @IsInt()
  @Min(1)
  @Max(2 ** 31 - 1)
  body_limit = 64 * MEBIBYTE;

  @IsIn(LOG_LEVELS)
  log_level: LogLevelName = 'info';

  /** Devices for workers; `auto` alone for the GPUs that are found, else the CPU. */
  @ArrayNotEmpty()
  @Matches(/^(auto|cpu|cuda:\d+)$/, { each: true })
  devices: string[] = ['auto'];

  /** Folders that models may be loaded from at run time; relative ones beside the configuration file. */
  @IsString({ each: true })
  @IsNotEmpty({ each: true })
  model_paths: string[] = ['models'];

  /** A folder in the layout of Triton's model repository; a relative one beside the configuration file. None if empty. */
  @IsString()
  model_repository = '';

  /** Who may read `/metrics`: `operators`, or `everyone`. */
  @IsIn(['operators', 'everyone'])
  metrics: 'operators' | 'everyone' = 'operators';

  /** Directory that keeps what is registered at run time; a relative one beside the file. Empty: a restart forgets it. */
  @IsString()
  state_dir = '';

  /** Batches that may run at once on one device, over all models; 0 for as many as there are workers. */
  @IsInt()
  @Min(0)
  @Max(1024)
  device_concurrency = 0;

  /** Time that admitted requests have to be answered when the server stops, in seconds. */
  @IsNumber()
  @Min(0)
  @Max(3600)
  shutdown_timeout = 30;
}

/** The environment variables, and the setting that each of them is. */
export const ENVIRONMENT: Readonly<Record<string, keyof ServerSettings>> = {
  HOST: 'host',
  PORT: 'port',
  LOG_LEVEL: 'log_level',
  SMARTBATCH_MODEL_PATHS: 'model_paths',
  SMARTBATCH_MODEL_REPOSITORY: 'model_repository',
  SMARTBATCH_METRICS: 'metrics',
  SMARTBATCH_STATE_DIR: 'state_dir',
  SMARTBATCH_DEVICES: 'devices',
  SMARTBATCH_DEVICE_CONCURRENCY: 'device_concurrency',
  SMARTBATCH_BODY_LIMIT: 'body_limit',
  SMARTBATCH_SHUTDOWN_TIMEOUT: 'shutdown_timeout',
};
