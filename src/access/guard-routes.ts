import { setCallerOfRequest } from '#model';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { leaveBody } from '../predict/early-refusal.js';
import type { AccessControl } from './access-control.js';
import { AUDIENCE, type Audience } from './audience.js';
import { presentedSecrets } from './presented-secrets.js';

/** Routes that no controller of the server's own maps, by the path that they are registered under. */
const OTHER_ROUTES: Readonly<Record<string, Audience>> = {
  '/metrics': 'monitors',
  // Swagger UI. What it tells of models depends on who asks; see `setUpDocs`.
  '/docs': 'everyone',
  '/docs/': 'everyone',
  '/docs/*': 'everyone',
  '/docs/LICENSE': 'everyone',
  '/docs/index.html': 'everyone',
  '/docs/swagger-ui-init.js': 'everyone',
  '/docs/docs/swagger-ui-init.js': 'everyone',
  '/openapi.json': 'everyone',
  '/openapi.yaml': 'everyone',
};

interface RouteConfiguration {
  [AUDIENCE]?: Audience;
}

/**
 * Lets a request through to a route only if it comes from the audience that the route is bound to. This happens before
 * a byte of the body is read, and on routes too that Nest knows nothing of, which is why it is no guard of Nest's. It
 * asks the route and never looks at the path of the request, which has many spellings.
 *
 * @throws {Error} while the server starts, for a route that is bound to no audience
 */
export function guardRoutes(fastify: FastifyInstance, access: AccessControl): void {
  fastify.addHook('onRoute', (route) => {
    const config: RouteConfiguration | undefined = route.config;
    const audience = config?.[AUDIENCE] ?? OTHER_ROUTES[route.url];
    if (audience === undefined) {
      const name = `${String(route.method)} ${route.url}`;
      throw new Error(`${name} has no audience: it needs @Public(), @ForClients() or @ForOperators()`);
    }
    route.config = Object.assign({}, config, { [AUDIENCE]: audience });
  });
  fastify.addHook('onRequest', (request: FastifyRequest, reply: FastifyReply, done) => {
    done(request.is404 ? undefined : refusal(access, request, reply));
  });
}

function refusal(access: AccessControl, request: FastifyRequest, reply: FastifyReply): Error | undefined {
  const { headers, routeOptions } = request;
  const audience = (routeOptions.config as RouteConfiguration)[AUDIENCE]!;
  const caller = access.callerOf(headers);
  if (caller !== undefined) setCallerOfRequest(request, caller);
  const error = access.refusal(audience, caller, headers);
  if (error === undefined) return undefined;
  if (error.code === 'unauthorized') reply.header('www-authenticate', challenge(presentedSecrets(headers)));
  leaveBody(request, reply);
  return error;
}

/** RFC 6750: the error is told to those who have shown a token. */
function challenge(secrets: readonly string[]): string {
  return `Bearer realm="smartbatch"${secrets.length === 0 ? '' : ', error="invalid_token"'}`;
}
