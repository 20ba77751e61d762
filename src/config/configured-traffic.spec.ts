import { describe, expect, it } from 'vitest';
import { readConfiguredTraffic } from './configured-traffic.js';
import { readModelDefinitions } from './model-definitions.js';
import { SettingError } from './setting-error.js';

const read = (models: object) => readConfiguredTraffic(models, readModelDefinitions(models, 'f'), 'f');

const versions = { 1: {}, 2: {} };

describe('traffic rules in a configuration file', () => {
  it('stand beside a model, as REST takes them', () => {
    const weights = { 1: 95, 2: 5 };
    expect(
      read({
        split: { module: 'm', versions, traffic: { weights, sticky_header: 'X-User' } },
        shadowed: { module: 'm', versions, traffic: { default: '1', shadow: { version: '2' } } },
        pinned: { module: 'm', version: '7', traffic: { default: '7' } },
        free: { module: 'm', versions },
      }),
    ).toEqual({
      split: { weights, stickyHeader: 'x-user' },
      shadowed: { pinned: '1', shadow: { version: '2', fraction: 1 } },
      pinned: { pinned: '7' },
    });
  });

  it('may name any version of a model that alone knows which it is', () => {
    expect(read({ m: { module: 'm', traffic: { default: '3' } } })).toEqual({ m: { pinned: '3' } });
  });

  it.each([
    [{ default: '3' }, "f: models.m.traffic: default must be a version that is configured, which '3' is not"],
    [{ weights: { 1: 1, 9: 1 } }, 'models.m.traffic: weights/9 must be a version that is configured'],
    [{ default: '1', wieghts: {} }, 'models.m.traffic: wieghts is not known'],
    [{}, 'models.m.traffic: default or weights or shadow must be there'],
    [null, 'models.m.traffic: the body must be object'],
  ])('%j is refused', (traffic, message) => {
    expect(() => read({ m: { module: 'm', versions, traffic } })).toThrow(SettingError);
    expect(() => read({ m: { module: 'm', versions, traffic } })).toThrow(message);
  });
});
