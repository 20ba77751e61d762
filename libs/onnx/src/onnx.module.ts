import { DEVICE, MODEL_INFO, type ModelInfo } from '#model';
import {
  Inject,
  Module,
  type DynamicModule,
  type InjectionToken,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { OnnxSession } from './session/onnx-session.js';

const OPENED_SESSION = Symbol('smartbatch.opened-onnx-session');

/** Gives a model's providers an {@link OnnxSession}, and releases it when the application closes. */
@Module({})
export class OnnxModule implements OnApplicationShutdown {
  constructor(@Inject(OPENED_SESSION) private readonly session: OnnxSession) {}

  /**
   * Opens a model file on the worker's `DEVICE` with its `intraOpThreads`; outside a worker, where neither
   * is provided, on `cpu` with one thread.
   *
   * @param path the file; `new URL('./model.onnx', import.meta.url)` finds it beside the source and the build
   * @param token what the session is injected by; needed only by a model with more than one file
   */
  static forFile(path: string | URL, token: InjectionToken = OnnxSession): DynamicModule {
    return {
      module: OnnxModule,
      providers: [
        {
          provide: OPENED_SESSION,
          useFactory: (device = 'cpu', info?: ModelInfo) =>
            OnnxSession.open(path, { device, intraOpThreads: info?.intraOpThreads ?? 1 }),
          inject: [
            { token: DEVICE, optional: true },
            { token: MODEL_INFO, optional: true },
          ],
        },
        { provide: token, useExisting: OPENED_SESSION },
      ],
      exports: [token],
    };
  }

  // The last of Nest's hooks: until then other providers may still run the model.
  onApplicationShutdown(): Promise<void> {
    return this.session.release();
  }
}
