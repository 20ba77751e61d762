import { describe, expect, it } from 'vitest';
import { findCredential, hashOf } from '../access/credentials.js';
import { readCredentials } from './read-credentials.js';
import { SettingError } from './setting-error.js';

const read = (value: unknown) =>
  readCredentials(value, { setting: 'api_keys', secret: 'key', mayHaveLimits: true });

describe('secrets in the configuration', () => {
  it('are a text, or a list of texts and of names with a key or its hash', () => {
    const hash = hashOf('third').toString('hex');
    const credentials = read(['first', { name: 'shop', key: 'second' }, { name: 'app', key_hash: hash }]);
    expect(findCredential(credentials, 'first')?.name).toMatch(/^key-[0-9a-f]{8}$/);
    expect(findCredential(credentials, 'second')?.name).toBe('shop');
    expect(findCredential(credentials, 'third')?.name).toBe('app');
    expect(read('first')).toEqual([credentials[0]]);
    expect(read([])).toEqual([]);
  });

  it('may have limits, where they are those of clients', () => {
    const limited = { name: 'shop', key: 'second', max_in_flight: 4, max_rate: 0.5, burst: 10 };
    expect(read(limited)[0]!.limits).toEqual({ maxInFlight: 4, maxRate: 0.5, burst: 10 });
    expect(read({ name: 'shop', key: 'second' })[0]).not.toHaveProperty('limits');
    expect(() => readCredentials(limited, { setting: 'admin_token', secret: 'key' })).toThrow(
      'admin_token.max_in_flight is not known; known are name, key, key_hash',
    );
  });

  it.each([
    ['', 'api_keys must be a text of printable characters'],
    ['s3cret with spaces', 'api_keys must be'],
    [['good', 's3cret,x'], 'api_keys[1] must be'],
    [42, 'api_keys must be a text, or a mapping'],
    [[null], 'api_keys must be a text, or a mapping'],
    [{ name: 'a', key: 's3cret', limit: 1 }, 'api_keys.limit is not known'],
    [
      { name: 'a', key: 's3cret', max_in_flight: 0 },
      'api_keys.max_in_flight must be an integer above 0, not 0',
    ],
    [{ name: 'a', key: 's3cret', max_rate: '5' }, 'api_keys.max_rate must be a number of requests a second'],
    [{ name: 'a', key: 's3cret', max_rate: 5, burst: 1.5 }, 'api_keys.burst must be an integer above 0'],
    [{ name: 'a', key: 's3cret', burst: 5 }, 'api_keys.burst'],
    [{ key: 's3cret' }, 'api_keys.name must be'],
    [{ name: 'a b', key: 's3cret' }, 'api_keys.name must be'],
    [{ name: 'a' }, 'api_keys must hold key or key_hash'],
    [{ name: 'a', key: 's3cret', key_hash: 's3cret' }, 'not both'],
    [{ name: 'a', key: 12 }, 'api_keys.key must be'],
    [{ name: 'a', key_hash: 's3cret' }, 'api_keys.key_hash must be a SHA-256'],
    [['s3cret', 's3cret'], 'api_keys holds the same secret twice'],
    [
      [
        { name: 'a', key: 's3cret' },
        { name: 'a', key: 's3cret2' },
      ],
      'api_keys holds the name a twice',
    ],
  ])('%j is refused without being repeated', (value, message) => {
    const run = () => read(value);
    expect(run).toThrow(SettingError);
    expect(run).toThrow(message);
    expect(run).not.toThrow('s3cret');
  });
});
