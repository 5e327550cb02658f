import { expect, test } from 'vitest';
import { cellsOf } from '../../src/check/cases/case.ts';
import {
  DEVICE,
  ENDPOINTS,
  type Endpoint,
  isRest,
  REST,
  type RequestSpec,
  SCANS,
} from '../../src/check/facts/exchange.ts';
import { keylessRequest, withKey } from '../../src/check/requests/scan-request.ts';
import { CASES } from '../../src/check/sections/index.ts';
import { OTHER_CARDS, WRONG_CARDS } from '../../src/check/stimuli/cards.ts';
import { CLIENT_HEADERS, CONTENT_TYPES } from '../../src/check/stimuli/client-headers.ts';
import { CLAIMS, ODD_MEMBERS, ODD_SENDERS, SENDERS } from '../../src/check/stimuli/members.ts';
import { OTHER_METHODS } from '../../src/check/stimuli/methods.ts';
import { RESPELLED_CODES, SURROUNDED_CODES } from '../../src/check/stimuli/respelled-codes.ts';
import { WRONG_KEYS } from '../../src/check/stimuli/wrong-keys.ts';

const CODE = 'TS1.tkt_k1aB2.c3D-e_F4g5H6i7J8k9L0mN';
const OTHER = 'TS1.tkt_z9yX8.w7V-u_T6s5R4q3P2o1N0mL';
const KEY = 'tscn_api_k1aB2c3D4e5F6g7H8i9J0';
const UNKNOWN = 'tscn_api_nobody';

/** Everything that programs take off the ends of a text. */
const AROUND = /^[\s\0\u200b\ufeff]+|[\s\0\u200b\ufeff=]+$/g;

const namesOf = (family: readonly { readonly name: string }[]) => family.map(({ name }) => name);

/** Each family with the case that asks its rows, and the endpoints on which it does. */
const FAMILIES: readonly (readonly [string, readonly string[], readonly Endpoint[]])[] = [
  ['2.2/forged-code', namesOf(RESPELLED_CODES), SCANS],
  ['2.2/one-ticket-in-every-spelling', namesOf(SURROUNDED_CODES), SCANS],
  ['2.4/card-of-another-encoding', namesOf(WRONG_CARDS), DEVICE],
  ['2.4/answer-to-other-cards', namesOf(OTHER_CARDS), ['hw/validate']],
  ['2.4/any-sender', namesOf(SENDERS), DEVICE],
  ['4/other-headers-change-nothing', namesOf(CLIENT_HEADERS), ENDPOINTS],
  [
    '4/other-methods-let-nobody-in',
    namesOf(OTHER_METHODS.filter((one) => !one.isSilent)),
    ENDPOINTS,
  ],
  ['4/request-decides-nothing', namesOf(CLAIMS), SCANS],
  ['4.1/same-body-in-another-form', Object.keys(CONTENT_TYPES), SCANS],
  ['7.1/no-500-for-any-member', namesOf(ODD_SENDERS), DEVICE],
  ['7.1/no-500-for-any-member', namesOf(ODD_MEMBERS), REST],
];

test.each(FAMILIES)('%s asks every row of its family on each endpoint', (id, names, endpoints) => {
  const one = CASES.find((other) => other.id === id);
  const asked = one ? cellsOf(one).map(({ name }) => name) : [];
  expect(names.length).toBeGreaterThan(2);
  expect(new Set(names).size).toBe(names.length);
  const wanted = endpoints.flatMap((endpoint) => names.map((name) => `${id}@${endpoint}{${name}}`));
  expect(wanted.filter((name) => !asked.includes(name))).toEqual([]);
});

test('5/refused-key asks every wrong key where it is wrong', () => {
  const one = CASES.find(({ id }) => id === '5/refused-key');
  const asked = one ? cellsOf(one).map(({ name }) => name) : [];
  const wanted = WRONG_KEYS.flatMap(({ variant, endpoints = ENDPOINTS }) =>
    endpoints.map((endpoint) => `5/refused-key@${endpoint}{${variant}}`),
  );
  expect(asked.toSorted()).toEqual(wanted.toSorted());
  expect(new Set(asked).size).toBe(asked.length);
});

test('every question has a name of its own', () => {
  const names = CASES.flatMap(cellsOf).map(({ name }) => name);
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
});

test('a respelled code is not the code, whatever is taken off its ends', () => {
  for (const { name, spell } of RESPELLED_CODES) {
    const spelled = spell(CODE, OTHER);
    expect(spelled, name).toBeDefined();
    expect(spelled?.replace(AROUND, ''), name).not.toBe(CODE);
  }
});

test('a surrounded code is the code with something at its ends', () => {
  for (const { name, spell } of SURROUNDED_CODES) {
    const spelled = spell(CODE, OTHER);
    expect(spelled, name).not.toBe(CODE);
    expect(spelled?.replace(AROUND, ''), name).toBe(CODE);
  }
});

test('a code that cannot be written in a way is left out there', () => {
  const spelled = RESPELLED_CODES.map(({ spell }) => spell('0', '1'));
  expect(spelled).toContain(undefined);
  expect(spelled).not.toContain('0');
});

test('a wrong card is not the Base64 of the code', () => {
  for (const { name, card } of WRONG_CARDS) {
    const value = card(CODE);
    const text = typeof value === 'string' ? Buffer.from(value, 'base64').toString() : '';
    expect(text, name).not.toBe(CODE);
  }
});

/** What is in the place of the key. */
function keysIn({ headers = [], query = [] }: RequestSpec, endpoint: Endpoint): string[] {
  const pairs = isRest(endpoint)
    ? headers.filter(([name]) => name.toLowerCase() === 'x-api-key')
    : query.filter(([name]) => name === 'key');
  return pairs.map(([, value]) => value);
}

test('no wrong key is a good one in its place', () => {
  for (const { variant, of, spoil, place = withKey, endpoints = ENDPOINTS } of WRONG_KEYS) {
    // a key of the other type is another key
    if (of === 'the-other-type') continue;
    const key = of === 'nobody' ? UNKNOWN : (spoil?.(KEY, 'REST_KEY').value ?? KEY);
    for (const endpoint of endpoints) {
      const request = place(keylessRequest(endpoint, CODE), key);
      expect(keysIn(request, endpoint), `${variant} at ${endpoint}`).not.toContain(KEY);
    }
  }
});

test('every header of a client can be sent', () => {
  const atRest = WRONG_KEYS.filter(({ endpoints = ENDPOINTS }) => endpoints.includes('validate'));
  const pairs = [
    ...atRest.flatMap(
      ({ place = withKey }) => place(keylessRequest('validate', CODE), KEY).headers ?? [],
    ),
    ...CLIENT_HEADERS.flatMap(({ headers }) => headers),
  ];
  expect(pairs.filter(([, value]) => !/^[\t\x20-\x7e]*$/.test(value))).toEqual([]);
});
