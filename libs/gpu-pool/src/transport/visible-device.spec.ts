import { describe, expect, it } from 'vitest';
import { visibleDevice } from './visible-device.js';

describe('the device of a worker process', () => {
  it('is the only GPU that it sees, and cuda:0 to it', () => {
    expect(visibleDevice('cuda:3', undefined)).toEqual({
      device: 'cuda:0',
      environment: { CUDA_VISIBLE_DEVICES: '3' },
    });
  });

  it('is counted among the GPUs that the server may see', () => {
    const { environment } = visibleDevice('cuda:1', '4, GPU-8a1b');
    expect(environment).toEqual({ CUDA_VISIBLE_DEVICES: 'GPU-8a1b' });
  });

  it('is no GPU for a worker on the CPU', () => {
    expect(visibleDevice('cpu', '0,1')).toEqual({ device: 'cpu', environment: {} });
  });
});
