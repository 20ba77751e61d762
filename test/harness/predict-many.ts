import type { RunningServer } from './running-server.js';

/**
 * Sends items in one request and returns their results, in their order. They arrive together, however busy the machine is:
 * a model that takes batches gets at least one.
 */
export async function predictMany<R>(
  server: RunningServer,
  model: string,
  inputs: readonly unknown[],
  version?: string,
): Promise<readonly R[]> {
  const query = version === undefined ? '' : `?version=${version}`;
  const { body } = await server.send(`/models/${model}/predict${query}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ inputs }),
  });
  return (body as unknown as { readonly results: readonly R[] }).results;
}
