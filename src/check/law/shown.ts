import { KEY_NAMES, type KeyName, type Target } from '../deployment/target.ts';
import { type Endpoint, isRest, type RequestSpec } from '../facts/exchange.ts';
import { isRecord, parsedJson } from '../facts/json.ts';
import type { KeyState, LimitedKey } from './allowed.ts';

/** The key of a request, as a service sees it. */
export interface ShownKey {
  /** In words: `a disabled key`, `no key`. */
  readonly what: string;
  readonly state: KeyState;
  /** True where this run made it what it is, or asked a hook to. */
  readonly isChanged?: true;
}

/**
 * Reads the key of a request from the place that section 5 gives it on an endpoint.
 * @param keys those of the target
 * @param changed what a run has made of keys that it may change, by their values
 * @returns undefined where the specification leaves open what the key does
 */
export function shownKey(
  request: RequestSpec,
  endpoint: Endpoint,
  keys: Target['keys'],
  changed: ReadonlyMap<string, LimitedKey>,
): ShownKey | undefined {
  const { headers = [], query = [] } = request;
  const given = isRest(endpoint)
    ? headers.filter(([name]) => name.toLowerCase() === 'x-api-key')
    : query.filter(([name]) => name === 'key');
  if (given.length > 1) return undefined;
  const value = given[0]?.[1];
  const now = value === undefined ? undefined : changed.get(value);
  if (now) return { what: CHANGED_IN_WORDS[now], state: now, isChanged: true };
  const name = KEY_NAMES.find((one) => value !== undefined && keys[one] === value);
  if (name === undefined) return { what: whatIsShown(value, request, keys), state: 'refused' };
  if (/spare/i.test(name)) return undefined;
  const what = isOfType(name, endpoint)
    ? (KEY_IN_WORDS[name] ?? `the key "${name}"`)
    : 'a key of the other type';
  return { what, state: keyState(name, endpoint) };
}

function whatIsShown(
  value: string | undefined,
  { headers = [], query = [], body = '' }: RequestSpec,
  keys: Target['keys'],
): string {
  if (value !== undefined) return 'a wrong key';
  const texts = [...headers.map(([, text]) => text), ...query.map(([, text]) => text)];
  const isElsewhere = [...texts, String(body)].some((text) =>
    Object.values(keys).some((key) => text.includes(key)),
  );
  return isElsewhere ? 'a key in the wrong place' : 'no key';
}

const KEY_IN_WORDS: Readonly<Partial<Record<KeyName, string>>> = {
  disabled: 'a disabled key',
  hardwareDisabled: 'a disabled key',
  deleted: 'a deleted key',
  hardwareDeleted: 'a deleted key',
  quotaExhausted: 'a used-up key',
  hardwareQuotaExhausted: 'a used-up key',
};

/** A key that this run has changed. */
const CHANGED_IN_WORDS: Readonly<Record<LimitedKey, string>> = {
  scoped: 'a key with fewer events than before',
  disabled: 'a disabled key',
  refused: 'a deleted key',
};

/** @returns what a key of the target is to an endpoint (sections 3.1 and 5) */
export function keyState(name: KeyName, endpoint: Endpoint): KeyState {
  if (/disabled/i.test(name)) return 'disabled';
  if (/quota/i.test(name) && isOfType(name, endpoint)) return 'usedUp';
  if (!isOfType(name, endpoint) || /deleted/i.test(name)) return 'refused';
  return name.endsWith('Scoped') ? 'scoped' : 'good';
}

function isOfType(name: KeyName, endpoint: Endpoint): boolean {
  return name.startsWith('hardware') !== isRest(endpoint);
}

/** The code that a request shows; undefined for a body that holds none. */
export function codeIn({ body }: RequestSpec, endpoint: Endpoint): string | undefined {
  const json = parsedJson(Buffer.from(body ?? '').toString('utf8'));
  if (!isRecord(json)) return undefined;
  const { ticketCode, Card } = json;
  if (isRest(endpoint))
    return typeof ticketCode === 'string' && ticketCode !== '' ? ticketCode : undefined;
  if (typeof Card !== 'string' || Card === '') return undefined;
  return Buffer.from(Card, 'base64').toString('utf8');
}
