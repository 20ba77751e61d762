import type { Answer } from '../harness/answer.js';
import type { RunningServer } from '../harness/running-server.js';
import { waitUntil } from '../harness/wait-until.js';

/** What an admin route answers: the fields of its report, or of a problem. */
export type AdminAnswer<R> = Omit<Answer, 'body'> & { readonly body: Answer['body'] & R };

export interface VersionReport {
  readonly name: string;
  readonly version: string | null;
  readonly state: string;
  readonly latest: boolean;
  readonly workers_alive: number;
  readonly reason?: string;
  readonly options: Readonly<Record<string, unknown>>;
}

export interface ModelReport {
  readonly name: string;
  readonly latest: string | null;
  readonly versions: readonly VersionReport[];
}

export interface TrafficReport {
  readonly rules: Readonly<Record<string, unknown>> | null;
  readonly shares: Readonly<Record<string, number>>;
}

/** Calls the admin routes of a server as an operator does. */
export const admin = {
  list: (server: RunningServer) => call<{ readonly models: readonly ModelReport[] }>(server, 'GET', ''),

  model: (server: RunningServer, name: string) => call<ModelReport>(server, 'GET', `/${name}`),

  version: (server: RunningServer, name: string, version: string) =>
    call<VersionReport>(server, 'GET', `/${name}/${version}`),

  /** @param query for example `?replace=true` */
  register: (server: RunningServer, name: string, settings: unknown, query = '') =>
    call<VersionReport>(server, 'POST', `/${name}${query}`, settings),

  update: (server: RunningServer, name: string, version: string, changes: unknown) =>
    call<VersionReport>(server, 'PATCH', `/${name}/${version}`, changes),

  /** @param action `drain` or `reset-breaker` */
  act: (server: RunningServer, name: string, version: string, action: string) =>
    call<VersionReport>(server, 'POST', `/${name}/${version}/${action}`),

  traffic: (server: RunningServer, name: string, method = 'GET', rules?: unknown) =>
    call<TrafficReport>(server, method, `/${name}/traffic`, rules),

  remove: (server: RunningServer, name: string, version: string) =>
    call<{ readonly refused: number }>(server, 'DELETE', `/${name}/${version}`),

  removeAll: (server: RunningServer, name: string) =>
    call<{ readonly refused: number }>(server, 'DELETE', `/${name}`),
};

async function call<R>(
  server: RunningServer,
  method: string,
  path: string,
  body?: unknown,
): Promise<AdminAnswer<R>> {
  const answer = await server.send(`/admin/models${path}`, {
    method,
    ...(body === undefined
      ? {}
      : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });
  return answer as AdminAnswer<R>;
}

/** Waits until a version is in this state. */
export function untilState(
  server: RunningServer,
  name: string,
  version: string,
  state: string,
): Promise<void> {
  return waitUntil(`${name} ${version} is ${state}`, async () => {
    const { body } = await admin.version(server, name, version);
    return (body as { readonly state?: string }).state === state;
  });
}
