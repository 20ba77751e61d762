import { ConfigurableModuleBuilder, Module } from '@nestjs/common';
import { detectDevices } from './device/detect-devices.js';
import { DEVICE_INVENTORY, DeviceInventory } from './device/device-inventory.js';
import { WORKER_TRANSPORT } from './gpu-pool.constants.js';
import { ProcessTransport } from './transport/process-transport.js';
import { ThreadTransport } from './transport/thread-transport.js';
import type { WorkerTransportFactory } from './transport/worker-transport.js';

/** Options of {@link GpuPoolModule}. */
export interface GpuPoolModuleOptions {
  /** Devices for workers, for example `['cuda:0', 'cuda:1']`. `auto` (default): the GPUs found, else `cpu`. */
  readonly devices?: 'auto' | readonly string[];
}

const startWorker: WorkerTransportFactory = ({ device, isolation }) =>
  isolation === 'process' ? new ProcessTransport(device) : new ThreadTransport(device);

const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } = new ConfigurableModuleBuilder<GpuPoolModuleOptions>(
  {
    moduleName: 'GpuPool',
  },
)
  .setClassMethodName('forRoot')
  .setExtras({ isGlobal: true }, (definition, { isGlobal }) => ({ ...definition, global: isGlobal }))
  .build();

/** Provides the devices and the way in which workers are started. */
@Module({
  providers: [
    {
      provide: DEVICE_INVENTORY,
      inject: [MODULE_OPTIONS_TOKEN],
      useFactory: async ({ devices = 'auto' }: GpuPoolModuleOptions) =>
        new DeviceInventory(devices === 'auto' ? await detectDevices() : devices),
    },
    { provide: WORKER_TRANSPORT, useValue: startWorker },
  ],
  exports: [DEVICE_INVENTORY, WORKER_TRANSPORT],
})
export class GpuPoolModule extends ConfigurableModuleClass {}
