import { hashOf, type Credential } from '../access/credentials.js';
import { CLIENT_LIMIT_NAMES, readClientLimits } from './read-client-limits.js';
import { SettingError } from './setting-error.js';

/** What a header can carry, and a list in an environment variable can hold. */
const SECRET = /^[\x21-\x2b\x2d-\x7e]+$/;

const NAME = /^[A-Za-z0-9._-]{1,64}$/;

const SHA_256 = /^[0-9a-f]{64}$/i;

/** What one kind of credential is called in the configuration. */
export interface CredentialWords {
  /** Name of the setting, or of its variable. */
  readonly setting: string;
  /** What a secret is called: `key` or `token`. */
  readonly secret: string;
  /** Whether limits may stand beside a name. */
  readonly mayHaveLimits?: boolean;
}

/**
 * Reads secrets: a text, or a list of texts and of `{ name, key }` or `{ name, key_hash }`, where the hash is the
 * SHA-256 in hexadecimal.
 *
 * @throws {SettingError} for anything else. Its message never holds a secret
 */
export function readCredentials(value: unknown, words: CredentialWords): Credential[] {
  const entries: readonly unknown[] = Array.isArray(value) ? value : [value];
  const credentials = entries.map((entry, index) => {
    const at = entries.length > 1 ? `${words.setting}[${index}]` : words.setting;
    return readCredential(entry, at, words);
  });
  assertDistinct(credentials, words.setting);
  return credentials;
}

/** @throws {SettingError} for a secret, or a name, that stands for two */
export function assertDistinct(credentials: readonly Credential[], setting: string): void {
  const hashes = new Set(credentials.map(({ hash }) => hash.toString('hex')));
  if (hashes.size < credentials.length) throw new SettingError(`${setting} holds the same secret twice`);
  const names = new Set<string>();
  for (const { name } of credentials) {
    if (names.has(name)) throw new SettingError(`${setting} holds the name ${name} twice`);
    names.add(name);
  }
}

function readCredential(
  entry: unknown,
  at: string,
  { secret: secretName, mayHaveLimits = false }: CredentialWords,
): Credential {
  if (typeof entry === 'string') {
    const hash = hashOf(checkSecret(entry, at));
    // Told apart in logs, the same after a restart, and of no use to whoever reads the log.
    return { name: `${secretName}-${hash.toString('hex').slice(0, 8)}`, hash };
  }
  const hashName = `${secretName}_hash`;
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) {
    throw new SettingError(`${at} must be a text, or a mapping with name and ${secretName} or ${hashName}`);
  }
  const { name, [secretName]: secret, [hashName]: hash, ...others } = entry as Record<string, unknown>;
  const known: readonly string[] = mayHaveLimits ? CLIENT_LIMIT_NAMES : [];
  const unknown = Object.keys(others).find((key) => !known.includes(key));
  if (unknown !== undefined) {
    const all = ['name', secretName, hashName, ...known].join(', ');
    throw new SettingError(`${at}.${unknown} is not known; known are ${all}`);
  }
  if (typeof name !== 'string' || !NAME.test(name)) {
    throw new SettingError(`${at}.name must be 1 to 64 of A–Z a–z 0–9 . _ -`);
  }
  if ((secret === undefined) === (hash === undefined)) {
    throw new SettingError(`${at} must hold ${secretName} or ${hashName}, and not both`);
  }
  const limits = readClientLimits(others, at);
  const named = { name, ...(limits === undefined ? {} : { limits }) };
  if (secret !== undefined) return { ...named, hash: hashOf(checkSecret(secret, `${at}.${secretName}`)) };
  if (typeof hash !== 'string' || !SHA_256.test(hash)) {
    throw new SettingError(`${at}.${hashName} must be a SHA-256 in 64 hexadecimal digits`);
  }
  return { ...named, hash: Buffer.from(hash, 'hex') };
}

function checkSecret(secret: unknown, at: string): string {
  if (typeof secret === 'string' && SECRET.test(secret)) return secret;
  throw new SettingError(`${at} must be a text of printable characters without spaces and commas`);
}
