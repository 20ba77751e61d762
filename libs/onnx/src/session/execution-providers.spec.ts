import { describe, expect, it } from 'vitest';
import { executionProviders } from './execution-providers.js';

describe('the execution providers of a device', () => {
  it('are the CPU alone on the CPU', () => {
    expect(executionProviders('cpu')).toEqual(['cpu']);
  });

  it.each([0, 1, 15])('are CUDA with the number of the GPU, then the CPU, on cuda:%d', (deviceId) => {
    expect(executionProviders(`cuda:${deviceId}`)).toEqual([{ name: 'cuda', deviceId }, 'cpu']);
  });
});
