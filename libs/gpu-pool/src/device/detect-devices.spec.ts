import { describe, expect, it } from 'vitest';
import { detectDevices } from './detect-devices.js';

function gpus(count: number) {
  const lines = Array.from({ length: count }, (_, n) => `GPU ${n}: NVIDIA H200 (UUID: GPU-${n}${n})\n`);
  return async () => lines.join('');
}

const noDriver = async () => {
  throw new Error('spawn nvidia-smi ENOENT');
};

describe('the devices that are found', () => {
  it('are the GPUs that the driver lists', async () => {
    expect(await detectDevices({}, gpus(2))).toEqual(['cuda:0', 'cuda:1']);
  });

  it('are the GPUs only, not their parts', async () => {
    const list = 'GPU 0: NVIDIA H200 (UUID: GPU-0)\n  MIG 1g.18gb  Device 0: (UUID: MIG-0)\n';
    expect(await detectDevices({}, async () => list)).toEqual(['cuda:0']);
  });

  it.each([
    ['without a driver', {}, noDriver],
    ['without a GPU', {}, gpus(0)],
    ['when all GPUs are hidden', { CUDA_VISIBLE_DEVICES: '' }, gpus(2)],
    ['when the list of visible GPUs is blank', { CUDA_VISIBLE_DEVICES: ' , ' }, gpus(2)],
    ['when the first visible GPU is none', { CUDA_VISIBLE_DEVICES: '-1' }, gpus(2)],
    ['when the only visible GPU does not exist', { CUDA_VISIBLE_DEVICES: '7' }, gpus(2)],
  ])('are the CPU alone %s', async (_, environment, lister) => {
    expect(await detectDevices(environment, lister)).toEqual(['cpu']);
  });

  it.each([
    ['3', 4, ['cuda:0']],
    ['2,0', 4, ['cuda:0', 'cuda:1']],
    ['GPU-11,GPU-00', 4, ['cuda:0', 'cuda:1']],
    ['0,1,2,3', 2, ['cuda:0', 'cuda:1']],
    ['0,-1,1', 4, ['cuda:0']],
    ['1,9,0', 2, ['cuda:0']],
  ])('are numbered from 0, as CUDA does, for %s of %d', async (visible, installed, devices) => {
    expect(await detectDevices({ CUDA_VISIBLE_DEVICES: visible }, gpus(installed))).toEqual(devices);
  });

  it('are not asked for when all are hidden', async () => {
    let asked = 0;
    await detectDevices({ CUDA_VISIBLE_DEVICES: '' }, async () => {
      asked++;
      return '';
    });
    expect(asked).toBe(0);
  });
});
