import { Test } from '@nestjs/testing';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { DEVICE_INVENTORY, type DeviceInventory } from './device/device-inventory.js';
import { GpuPoolModule, type GpuPoolModuleOptions } from './gpu-pool.module.js';

afterEach(() => vi.unstubAllEnvs());

async function devicesOf(options: GpuPoolModuleOptions): Promise<string[]> {
  const app = await Test.createTestingModule({ imports: [GpuPoolModule.forRoot(options)] }).compile();
  return app.get<DeviceInventory>(DEVICE_INVENTORY).devices;
}

describe('the devices that GpuPoolModule provides', () => {
  it('are those of the list where there is one', async () => {
    expect(await devicesOf({ devices: ['cuda:1', 'cpu'] })).toEqual(['cuda:1', 'cpu']);
  });

  it.each<GpuPoolModuleOptions>([{}, { devices: 'auto' }])('are found out with %j', async (options) => {
    // Hides every GPU that this machine may have.
    vi.stubEnv('CUDA_VISIBLE_DEVICES', '');
    expect(await devicesOf(options)).toEqual(['cpu']);
  });

  it('are refused at the start where the list is wrong', async () => {
    await expect(devicesOf({ devices: ['gpu0'] })).rejects.toThrow("'gpu0' is not a device");
  });
});
