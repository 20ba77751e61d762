import { ServingError, type Fault } from '#model';
import { Ajv, type ErrorObject } from 'ajv';
import type { Traffic } from './traffic.js';

/** Traffic rules as REST shows and takes them. */
export interface RestTraffic {
  readonly default?: string;
  readonly weights?: Readonly<Record<string, number>>;
  readonly sticky_header?: string;
  readonly shadow?: { readonly version: string; readonly fraction?: number };
}

const label = { type: 'string', minLength: 1, maxLength: 128 } as const;

/** JSON Schema of {@link RestTraffic}. */
export const TRAFFIC_SCHEMA = {
  type: 'object',
  additionalProperties: false,
  properties: {
    default: { ...label, description: 'The version that requests without one get. Not beside `weights`.' },
    weights: {
      type: 'object',
      minProperties: 1,
      maxProperties: 32,
      additionalProperties: { type: 'number', minimum: 0, maximum: 1e9 },
      description: 'The share of each version, in any unit.',
    },
    sticky_header: {
      type: 'string',
      pattern: '^[A-Za-z0-9-]{1,64}$',
      description: 'The header whose value keeps a client on one version. Default: X-Request-Id.',
    },
    shadow: {
      type: 'object',
      required: ['version'],
      additionalProperties: false,
      properties: {
        version: { ...label, description: 'Gets copies of requests that other versions answer.' },
        fraction: { type: 'number', exclusiveMinimum: 0, maximum: 1, default: 1 },
      },
    },
  },
} as const;

const validate = new Ajv({ allErrors: true }).compile<RestTraffic>(TRAFFIC_SCHEMA);

/**
 * Reads traffic rules.
 *
 * @param isKnown whether a version of the model may be named
 * @param known what such a version is, in words
 * @throws {ServingError} `invalid_options`, naming each field and what would be right
 */
export function readTraffic(rest: unknown, isKnown: (version: string) => boolean, known = 'ready'): Traffic {
  if (!validate(rest)) throw invalid(validate.errors!.map(toFault));
  const { default: pinned, weights, sticky_header: stickyHeader, shadow } = rest;
  const faults = [...conflicts(rest), ...unknownVersions(rest, isKnown, known)];
  if (faults.length > 0) throw invalid(faults);
  return {
    ...(pinned === undefined ? {} : { pinned }),
    ...(weights === undefined ? {} : { weights }),
    ...(stickyHeader === undefined ? {} : { stickyHeader: stickyHeader.toLowerCase() }),
    ...(shadow === undefined ? {} : { shadow: { fraction: 1, ...shadow } }),
  };
}

/** The rules as REST shows them. */
export function toRestTraffic({ pinned, weights, stickyHeader, shadow }: Traffic): RestTraffic {
  return {
    ...(pinned === undefined ? {} : { default: pinned }),
    ...(weights === undefined ? {} : { weights }),
    ...(stickyHeader === undefined ? {} : { sticky_header: stickyHeader }),
    ...(shadow === undefined ? {} : { shadow }),
  };
}

function conflicts({ default: pinned, weights, sticky_header: header, shadow }: RestTraffic): Fault[] {
  const faults: Fault[] = [];
  const add = (isWrong: boolean, field: string, message: string) => {
    if (isWrong) faults.push({ field, message });
  };
  const nothing = pinned === undefined && weights === undefined && shadow === undefined;
  add(nothing, 'default', 'or weights or shadow must be there; DELETE takes rules away');
  add(pinned !== undefined && weights !== undefined, 'weights', 'must not stand beside default');
  add(header !== undefined && weights === undefined, 'sticky_header', 'needs weights');
  const total = Object.values(weights ?? { any: 1 }).reduce((sum, weight) => sum + weight, 0);
  add(total === 0, 'weights', 'must not all be 0');
  add(
    shadow !== undefined && shadow.version === pinned,
    'shadow/version',
    'must not be the default, which answers',
  );
  return faults;
}

function unknownVersions(rest: RestTraffic, isKnown: (version: string) => boolean, known: string): Fault[] {
  const named: [string, string | undefined][] = [
    ['default', rest.default],
    ...Object.keys(rest.weights ?? {}).map((version): [string, string] => [`weights/${version}`, version]),
    ['shadow/version', rest.shadow?.version],
  ];
  return named
    .filter(([, version]) => version !== undefined && !isKnown(version))
    .map(([field, version]) => ({
      field,
      message: `must be a version that is ${known}, which '${version}' is not`,
    }));
}

function toFault({ instancePath, keyword, params, message = 'is invalid' }: ErrorObject): Fault {
  const field = instancePath.slice(1);
  if (keyword === 'additionalProperties') {
    const { additionalProperty } = params as { additionalProperty: string };
    const known = Object.keys(TRAFFIC_SCHEMA.properties).join(', ');
    return {
      field: additionalProperty,
      message: field === '' ? `is not known; known are ${known}` : 'is not known',
    };
  }
  return { field: field === '' ? 'the body' : field, message };
}

function invalid(faults: readonly Fault[]): ServingError {
  const message = faults.map((fault) => `${fault.field} ${fault.message}`).join('; ');
  return new ServingError('invalid_options', message, { faults });
}
