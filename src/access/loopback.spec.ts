import { describe, expect, it } from 'vitest';
import { isLoopback, strangersHand } from './loopback.js';

describe('an address to listen on', () => {
  it.each(['127.0.0.1', '127.8.9.10', '::1', '[::1]', 'localhost', 'LOCALHOST', 'app.localhost'])(
    '%s is reached from this machine only',
    (host) => expect(isLoopback(host)).toBe(true),
  );

  it.each([
    '0.0.0.0',
    '::',
    '',
    '10.0.0.1',
    '192.168.1.2',
    'fe80::1',
    '::ffff:10.0.0.1',
    'localhost.example.org',
    '127.0.0.1.nip.io',
  ])('%j may be reached from others', (host) => expect(isLoopback(host)).toBe(false));
});

describe('a request to a loopback address', () => {
  it.each([
    { host: '127.0.0.1:8000' },
    { host: 'localhost' },
    { host: 'LocalHost:8000' },
    { host: '[::1]:8000' },
    { host: 'localhost:8000', origin: 'http://localhost:8000', 'sec-fetch-site': 'same-origin' },
    { host: 'localhost', origin: 'http://localhost:80' },
    { host: 'localhost:8000', 'sec-fetch-site': 'none' },
  ])("%j may be the user's own", (headers) => {
    expect(strangersHand(headers)).toBeUndefined();
  });

  it.each([
    [{ host: 'localhost:8000', origin: 'https://evil.example' }, 'another origin'],
    [{ host: 'localhost:8000', origin: 'null' }, 'another origin'],
    [{ host: 'localhost:8000', origin: 'http://localhost:3000' }, 'another origin'],
    [{ host: 'localhost:8000', origin: 'http://127.0.0.1:8000' }, 'another origin'],
    [{ host: 'localhost:8000', 'sec-fetch-site': 'cross-site' }, 'another origin'],
    [{ host: 'localhost:8000', 'sec-fetch-site': 'same-site' }, 'another origin'],
    // A page whose name has been pointed at 127.0.0.1 is of the same origin as the server, to its browser.
    [
      { host: 'evil.example:8000', origin: 'http://evil.example:8000', 'sec-fetch-site': 'same-origin' },
      'Host',
    ],
    [{ host: '127.0.0.1.nip.io' }, 'Host'],
    [{ host: '10.0.0.1:8000' }, 'Host'],
    [{ host: 'localhost:8000:1' }, 'Host'],
    [{ host: '' }, 'Host'],
    [{}, 'Host'],
    [{ host: 'localhost', 'x-forwarded-for': '10.0.0.1' }, 'proxy'],
    [{ host: 'localhost', forwarded: 'for=10.0.0.1' }, 'proxy'],
    [{ host: 'localhost', via: '1.1 gateway' }, 'proxy'],
  ])('%j may be a stranger’s', (headers, reason) => {
    expect(strangersHand(headers)).toContain(reason);
  });
});
