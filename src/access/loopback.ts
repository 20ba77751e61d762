import type { IncomingHttpHeaders } from 'node:http';
import { BlockList, isIP } from 'node:net';

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/** Headers of proxies, which may have been asked by anyone. */
const PROXY_HEADERS = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'via'];

/** Whether this name or address, as one listens on it, can be reached from this machine only. */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[(.*)\]$/, '$1');
  const version = isIP(name);
  if (version === 0) return name === 'localhost' || name.endsWith('.localhost');
  return LOOPBACK.check(name, version === 4 ? 'ipv4' : 'ipv6');
}

/**
 * Why a request to a loopback address may come from somebody else than this machine's user; `undefined` when
 * nothing says so. A web page of anyone's reaches a loopback address through the user's browser: across origins, which
 * `Origin` and `Sec-Fetch-Site` tell, or under a name of its own that it has pointed at 127.0.0.1, which `Host` tells.
 */
export function strangersHand(headers: IncomingHttpHeaders): string | undefined {
  const { host = '', origin, 'sec-fetch-site': site } = headers;
  const asked = parse(`http://${host}`);
  if (asked === undefined || !isLoopback(asked.hostname)) return 'its Host is no name of this machine';
  if (origin !== undefined && parse(origin)?.host !== asked.host)
    return 'a web page of another origin sent it';
  if (site === 'cross-site' || site === 'same-site') return 'a web page of another origin sent it';
  if (PROXY_HEADERS.some((name) => headers[name] !== undefined)) return 'it came through a proxy';
  return undefined;
}

function parse(url: string): URL | undefined {
  return URL.canParse(url) ? new URL(url) : undefined;
}
