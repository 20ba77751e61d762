import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DeviceInventory } from './device-inventory.js';

describe('the devices of a server', () => {
  it.each([
    [[], 'at least one device'],
    [['gpu'], "'gpu' is not a device"],
    [['cuda'], "'cuda' is not a device"],
    [['cpu', 'cuda:x'], "'cuda:x' is not a device"],
  ])('are not %j', (devices, message) => {
    expect(() => new DeviceInventory(devices)).toThrow(RangeError);
    expect(() => new DeviceInventory(devices)).toThrow(message);
  });

  it('are given to workers by turns, those with the fewest first', () => {
    const inventory = new DeviceInventory(['cuda:0', 'cuda:1', 'cuda:2']);
    expect([1, 2, 3, 4].map(() => inventory.acquire())).toEqual(['cuda:0', 'cuda:1', 'cuda:2', 'cuda:0']);
    inventory.release('cuda:2');
    expect(inventory.acquire()).toBe('cuda:2');
  });

  it('never differ by more than one worker when all may be used', () => {
    const counts = fc.array(fc.boolean(), { maxLength: 60 });
    fc.assert(
      fc.property(counts, fc.integer({ min: 1, max: 5 }), (arrivals, size) => {
        const devices = Array.from({ length: size }, (_, index) => `cuda:${index}`);
        const inventory = new DeviceInventory(devices);
        const load = new Map(devices.map((device) => [device, 0]));
        for (const arrives of arrivals) {
          const busiest = Math.max(...load.values());
          const device = arrives ? inventory.acquire() : [...load].find(([, n]) => n === busiest)![0];
          if (!arrives && busiest === 0) continue;
          if (!arrives) inventory.release(device);
          load.set(device, load.get(device)! + (arrives ? 1 : -1));
          expect(Math.max(...load.values()) - Math.min(...load.values())).toBeLessThanOrEqual(1);
        }
      }),
    );
  });

  it('are limited to those that a model names, counting what others do there', () => {
    const inventory = new DeviceInventory(['cpu', 'cuda:0', 'cuda:1']);
    inventory.acquire(['cuda:0']);
    expect(inventory.acquire(['cuda:0', 'cuda:1'])).toBe('cuda:1');
    expect(inventory.devices).toEqual(['cpu', 'cuda:0', 'cuda:1']);
  });

  it('do not include one that a model names and the server has not', () => {
    const inventory = new DeviceInventory(['cpu']);
    expect(() => inventory.acquire(['cpu', 'cuda:7'])).toThrow(
      "device 'cuda:7' is not among the server's: cpu",
    );
    expect(() => inventory.acquire([])).toThrow('the list of devices is empty');
  });
});
