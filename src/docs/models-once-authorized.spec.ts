import { runInNewContext } from 'node:vm';
import { describe, expect, it, vi } from 'vitest';
import { MODELS_ONCE_AUTHORIZED } from './models-once-authorized.js';

type Authorize = typeof MODELS_ONCE_AUTHORIZED.statePlugins.auth.wrapActions.authorize;

describe('the API description in the browser', () => {
  it.each([
    [{ token: { value: 'secret' } }, { authorization: 'Bearer secret' }],
    [{ key: { value: 'mine' } }, { 'x-api-key': 'mine' }],
  ])('is fetched again with a credential that is given there: %j', async (credentials, headers) => {
    const description = { paths: {} };
    const fetch = vi.fn<() => Promise<object>>(async () => ({ json: async () => description }));
    // As in the page: its source alone, with nothing of this module around it.
    const source = MODELS_ONCE_AUTHORIZED.statePlugins.auth.wrapActions.authorize.toString();
    const authorize = runInNewContext(`(${source})`, { fetch }) as Authorize;
    const updateJsonSpec = vi.fn<(document: unknown) => void>();
    const original = vi.fn<() => string>(() => 'authorized');
    expect(authorize(original, { specActions: { updateJsonSpec } })(credentials)).toBe('authorized');
    await vi.waitFor(() => expect(updateJsonSpec).toHaveBeenCalledWith(description));
    expect(fetch).toHaveBeenCalledWith('openapi.json', { headers });
    expect(original).toHaveBeenCalledWith(credentials);
  });
});
