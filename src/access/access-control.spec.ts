import fc from 'fast-check';
import type { IncomingHttpHeaders } from 'node:http';
import { describe, expect, it } from 'vitest';
import { AccessControl, type AccessRules } from './access-control.js';
import type { Audience } from './audience.js';
import { findCredential, hashOf } from './credentials.js';

const credential = (name: string, secret: string) => ({ name, hash: hashOf(secret) });
const operators = [credential('ada', 'new-token'), credential('old', 'old-token')];
const clients = [credential('shop', 'shop-key'), credential('app', 'app-key')];

const LOCAL = { host: 'localhost:8000' };
const NOBODY = { host: 'models.example.org' };
const bearer = (secret: string) => ({ ...NOBODY, authorization: `Bearer ${secret}` });

function admitted(rules: Partial<AccessRules>, headers: IncomingHttpHeaders): Audience[] {
  const access = new AccessControl({ operators: [], clients: [], metricsArePublic: false, ...rules });
  const audiences: Audience[] = ['everyone', 'clients', 'monitors', 'operators'];
  return audiences.filter((audience) => access.admits(audience, headers));
}

describe('who may ask what', () => {
  it.each<[string, Partial<AccessRules>, IncomingHttpHeaders, Audience[]]>([
    ['nobody has a secret, on this machine', {}, LOCAL, ['everyone', 'clients', 'monitors', 'operators']],
    ['nobody has a secret, by a foreign name', {}, NOBODY, ['everyone', 'clients']],
    ['a stranger, with a token set', { operators }, LOCAL, ['everyone', 'clients']],
    ['a stranger, with keys set', { operators, clients }, LOCAL, ['everyone']],
    ['a stranger, with keys and no token set', { clients }, LOCAL, ['everyone', 'monitors', 'operators']],
    [
      'a stranger, metrics for everyone',
      { operators, metricsArePublic: true },
      LOCAL,
      ['everyone', 'clients', 'monitors'],
    ],
    ['a client', { operators, clients }, bearer('shop-key'), ['everyone', 'clients']],
    ['a client by X-API-Key', { operators, clients }, { 'x-api-key': 'app-key' }, ['everyone', 'clients']],
    [
      'an operator',
      { operators, clients },
      bearer('new-token'),
      ['everyone', 'clients', 'monitors', 'operators'],
    ],
    [
      'an operator with the token before',
      { operators },
      bearer('old-token'),
      ['everyone', 'clients', 'monitors', 'operators'],
    ],
    ['a wrong token', { operators, clients }, bearer('new-token2'), ['everyone']],
    [
      "a gateway's own authorization beside the key",
      { clients },
      { ...bearer('gateway'), 'x-api-key': 'app-key' },
      ['everyone', 'clients'],
    ],
  ])('%s', (_, rules, headers, audiences) => {
    expect(admitted(rules, headers)).toEqual(audiences);
  });

  it('callers are known by name, operators before clients', () => {
    const access = new AccessControl({ operators, clients, metricsArePublic: false });
    expect(access.callerOf(bearer('shop-key'))).toEqual({ name: 'shop', role: 'client' });
    expect(access.callerOf({ ...bearer('app-key'), 'x-api-key': 'old-token' })).toEqual({
      name: 'old',
      role: 'operator',
    });
    expect(access.callerOf(NOBODY)).toBeUndefined();
  });

  it('only the secret itself is the secret', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 40 }), (guess) => {
        expect(findCredential(operators, guess)?.name).toBe(
          guess === 'new-token' ? 'ada' : guess === 'old-token' ? 'old' : undefined,
        );
      }),
      { examples: [['new-token'], ['old-token'], ['new-toke'], ['NEW-TOKEN'], ['']] },
    );
  });
});
