import { isHost } from '../../../kit/host-header.ts';
import { Inconclusive } from '../../cases/case.ts';
import { Deviation } from '../../facts/failures.ts';
import { isRecord, parsedJson, show } from '../../facts/json.ts';
import type { CardFacts, Format } from '../formats/format.ts';
import { headerValues, pathOf, queryValues, type SeenRequest } from '../http.ts';
import { type DeviceCase, deviceCase, eachRequest } from './device-case.ts';
import {
  longCodeRow,
  mustNotHideKey,
  mustSendNoLineEnd,
  mustSendWholeCodes,
} from './sent-values.ts';
import { ADMITTING_SCENES, type SessionResults } from './session-results.ts';

const STANDARD_BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Skips what this format has no field for. */
export function only(feature: keyof Format['features'], reason: string) {
  return ({ features }: Format) => (features[feature] ? undefined : reason);
}

const onlyController = only('controllerFields', 'this model has a format of its own');

function cardsOf({ cards }: SessionResults): SeenRequest[] {
  if (cards.length > 0) return cards;
  throw new Inconclusive('no card was posted');
}

function readings(results: SessionResults): { request: SeenRequest; card: CardFacts }[] {
  return cardsOf(results).flatMap((request) => {
    const card = results.format.read(request);
    return card?.code === undefined ? [] : [{ request, card }];
  });
}

function readable(results: SessionResults): SeenRequest[] {
  return readings(results).map(({ request }) => request);
}

/** At the address where it belongs: elsewhere the place of the key is another. */
function atAddress(results: SessionResults): SeenRequest[] {
  const there = results.sent.filter((one) => results.format.isAtAddress(one));
  if (there.length > 0) return there;
  throw new Inconclusive('nothing was sent to the address of the setup');
}

function mustBeOne(
  results: SessionResults,
  what: 'serial' | 'reader',
  field: 'Serial' | 'Reader',
): string {
  const all = readings(results);
  if (all.length === 0) throw new Inconclusive('no card could be read');
  const values = new Set(all.map(({ card }) => String(card[what] ?? '')));
  const [only = ''] = values;
  if (values.size === 1 && only !== '') return `${field} is ${show(only)}`;
  const missing = all.find(({ card }) => String(card[what] ?? '') === '')?.request;
  const observed =
    missing && values.size === 1 ? `no ${field}` : [...values].map((one) => show(one)).join(', ');
  const request = missing ?? all.at(-1)?.request;
  throw new Deviation(`one and the same ${field} in every request`, observed, request, {
    fields: [`the ${field}`],
  });
}

/** @throws Deviation when all of these posts were for a validate */
function mustConsume(posts: readonly SeenRequest[]): void {
  const [request] = posts;
  if (!request || posts.some((one) => !pathOf(one).endsWith('/validate'))) return;
  throw new Deviation('POST /scan/hw/consume', pathOf(request), request);
}

function mustSendACard(results: SessionResults): void {
  if (results.posts('granted').length > 0) return;
  const { cards, heartbeats, record } = results;
  const others = record.requests.filter((one) => results.format.kindOf(one) === undefined);
  const [other] = others;
  const seen = [
    ...(other ? [`${results.targetOf(other)} arrived`] : []),
    ...(heartbeats.length > 0 ? ['heartbeats arrived'] : []),
    ...(cards.length > 0 ? ['other cards arrived'] : []),
  ];
  const observed = seen.length > 0 ? `none; ${seen.join(', ')}` : 'nothing arrived at all';
  throw new Deviation('a request with the card', observed, other, {
    cause: causeOfSilence(results, other),
  });
}

function causeOfSilence(
  { cards, heartbeats }: SessionResults,
  other: SeenRequest | undefined,
): string | undefined {
  if (cards.length > 0) return undefined;
  if (other) return 'The address for cards has another path.';
  if (heartbeats.length > 0) return 'The device reaches this machine: its reader or its Card URL.';
  return 'The address of this session is not set, or a firewall keeps requests away.';
}

const DEVICE_REQUEST_CASES: readonly DeviceCase[] = [
  deviceCase('4.3/device-posts-card', {
    requirement: 'The device posts a card that is held in front of its reader.',
    statesArrival: true,
    run: mustSendACard,
  }),
  eachRequest('4.3/device-card-url', {
    requirement:
      'Cards are sent with POST to /scan/hw/consume or /scan/hw/validate, or as the device file says.',
    of: cardsOf,
    expected: ({ format }) => format.addresses.card,
    wrong: (one, results) => (results.format.isAtAddress(one) ? undefined : results.targetOf(one)),
  }),
  deviceCase('4.6/device-consumes', {
    isDangerous: true,
    requirement:
      'Cards go to the Card URL that the device was given, where each admission takes a use.',
    scenes: ADMITTING_SCENES,
    cause: 'A validate takes no use: one ticket then admits any number of people.',
    skipReason: ({ file }) =>
      file?.calls.paths ? 'the device file says which of its paths take a use' : undefined,
    run(results) {
      mustConsume(results.posted('granted'));
      for (const name of results.plain) {
        const posts = results.posts(name).filter((one) => results.isAnsweredInTime(one));
        if (results.presentation(name).seen.opened && posts.length > 0)
          mustConsume(results.posts(name));
      }
    },
  }),
  eachRequest('5/device-key-in-query', {
    requirement:
      'Every request has the API key once, unchanged: in the query parameter key, or behind /devices/ in the Device URL.',
    states: ['the key'],
    about: () => ['the key'],
    of: atAddress,
    expected: ({ format }) =>
      format.file?.calls.paths ? '$KEY once, behind /devices/' : 'key=$KEY',
    wrong(one, { format, record: { key } }) {
      const keys = format.keysIn(one, key);
      if (keys.length === 1 && keys[0] === key) return undefined;
      return keys.length === 0 ? 'no key' : keys.map((found) => show(found)).join(' and ');
    },
  }),
  deviceCase('5/device-key-only-there', {
    isDangerous: true,
    states: ['the key'],
    requirement:
      'The API key is in the parameter key, or behind /devices/, only: no header, body or other part of the URL has it, or a piece of it, plain or encoded.',
    cause: 'Proxies and logs keep what they see there.',
    run: (results) => mustNotHideKey(results, 'query'),
  }),
  eachRequest('2.4/device-card-body', {
    requirement: "The body has the card in the model's own format.",
    of: cardsOf,
    expected: ({ format }) => `a body with a card, as ${format.id} sends it`,
    wrong(one, results) {
      if (results.format.read(one)?.code !== undefined) return undefined;
      return one.body === '' ? results.targetOf(one) : show(one.body);
    },
  }),
  deviceCase('2.4/device-card-content', {
    states: ['the code'],
    requirement: 'What the body says, decoded, is the content of the QR code, byte for byte.',
    run: (results) => mustSendWholeCodes(results, true),
  }),
  deviceCase('2.4/device-no-line-end', {
    requirement: 'Nothing follows the code, not even the line end that servers take off.',
    level: 'observed',
    buildsOn: ['2.4/device-base64'],
    run: mustSendNoLineEnd,
  }),
  deviceCase('2.4/device-long-code', longCodeRow(true)),
  eachRequest('2.4/device-base64', {
    requirement: 'Card is standard Base64 with its padding.',
    level: 'observed',
    about: () => ['the code'],
    skipReason: onlyController,
    of: readable,
    expected: 'standard Base64',
    wrong(one, { format }) {
      const { raw } = format.read(one) ?? {};
      return raw === undefined || STANDARD_BASE64.test(raw) ? undefined : show(raw);
    },
  }),
  eachRequest('2.4/device-field-types', {
    requirement: 'Serial is a string and Reader is a number.',
    level: 'observed',
    states: ['the Serial'],
    about: (one, { format }) => [
      typeof format.read(one)?.serial === 'string' ? 'the Reader' : 'the Serial',
    ],
    skipReason: onlyController,
    of: readable,
    expected: 'Serial as text, Reader as a number',
    wrong(one, { format }) {
      const { serial, reader } = format.read(one) ?? {};
      if (typeof serial === 'string' && typeof reader === 'number') return undefined;
      return `Serial ${show(serial)}, Reader ${show(reader)}`;
    },
  }),
  deviceCase('2.4/device-serial', {
    requirement: 'The device names itself in Serial, and always in the same way.',
    states: ['the Serial'],
    skipReason: only('serial', 'the requests of this model do not say who sends them'),
    run: (results) => mustBeOne(results, 'serial', 'Serial'),
  }),
  deviceCase('2.4/device-reader', {
    states: ['the Reader'],
    requirement: 'One reader always has the same index in Reader.',
    skipReason: only('reader', 'the requests of this model do not name the reader'),
    run: (results) => mustBeOne(results, 'reader', 'Reader'),
  }),
  deviceCase('1/device-http', {
    requirement: 'Everything that the device sends is HTTP with a Host header.',
    level: 'observed',
    run({ record, sent }) {
      const [broken] = record.broken;
      if (broken !== undefined)
        throw new Deviation('HTTP', `bytes that are no HTTP request (${broken})`);
      const request = sent.find((one) => headerValues(one, 'host').length !== 1);
      if (request) throw new Deviation('one Host header', 'none, or several', request);
      const odd = sent.find((one) => !headerValues(one, 'host').every(isHost));
      if (odd)
        throw new Deviation(
          'a name or address as the Host',
          show(headerValues(odd, 'host')[0]),
          odd,
        );
    },
  }),
  deviceCase('2.4/device-content-type', {
    requirement: 'Reported: the content type of the body.',
    level: 'unstated',
    run: (results) =>
      [...new Set(cardsOf(results).flatMap((one) => headerValues(one, 'content-type')))].join(
        ', ',
      ) || 'none',
  }),
];

const sent = (results: SessionResults) => results.sent;

function hasTicketCode({ body }: SeenRequest): boolean {
  const fields = parsedJson(body);
  return isRecord(fields) && typeof fields['ticketCode'] === 'string';
}

const CLIENT_REQUEST_CASES: readonly DeviceCase[] = [
  deviceCase('4.6/client-sends-ticket', {
    requirement: 'The program sends a request for a code that it is given.',
    statesArrival: true,
    run: mustSendACard,
  }),
  eachRequest('4/client-path', {
    requirement: 'Requests go with POST to /scan/validate or /scan/consume.',
    of: sent,
    expected: 'POST /scan/consume',
    wrong: (one) =>
      one.method === 'POST' && /^\/scan\/(consume|validate)$/.test(pathOf(one))
        ? undefined
        : `${one.method} ${pathOf(one)}`,
  }),
  eachRequest('5/client-key-header', {
    requirement: 'Every request has the API key once, in the header x-api-key.',
    states: ['the key'],
    about: () => ['the key'],
    of: sent,
    expected: 'x-api-key: $KEY',
    wrong(one, { record }) {
      const keys = headerValues(one, 'x-api-key');
      if (keys.length === 1 && keys[0] === record.key) return undefined;
      return keys.length === 0 ? 'no such header' : keys.map((key) => show(key)).join();
    },
  }),
  deviceCase('5/client-key-only-there', {
    isDangerous: true,
    states: ['the key'],
    requirement:
      'The API key is in that header only: no URL, other header or body has it, or a piece of it, plain or encoded.',
    cause: 'Proxies and logs keep what they see there.',
    run: (results) => mustNotHideKey(results, 'header'),
  }),
  eachRequest('4.1/client-content-type', {
    requirement: 'Every request says Content-Type: application/json.',
    // A body that is not JSON rightly has another type: then the body is what is wrong.
    about: (one) => (hasTicketCode(one) ? [] : ['the body']),
    of: sent,
    expected: 'application/json',
    wrong(one) {
      const type = headerValues(one, 'content-type').join();
      return /^application\/json\s*(;|$)/i.test(type) ? undefined : type || 'no content type';
    },
  }),
  eachRequest('4.1/client-body', {
    requirement: 'The body is a JSON object with ticketCode, a text.',
    states: ['the body'],
    about: () => ['the body'],
    of: sent,
    expected: '{"ticketCode":"…"}',
    wrong: (one) => (hasTicketCode(one) ? undefined : show(one.body)),
  }),
  deviceCase('4.1/client-whole-code', {
    states: ['the code'],
    requirement: 'ticketCode is the complete content of the QR code, unchanged.',
    run: (results) => mustSendWholeCodes(results, false),
  }),
  deviceCase('4.1/client-long-code', longCodeRow(false)),
  eachRequest('1/client-http', {
    requirement: 'The query of a URL is empty: the interface has no parameters for software.',
    level: 'observed',
    about: () => ['the key'],
    of: sent,
    expected: 'no query',
    wrong: (one) => (queryValues(one, 'key').length > 0 ? 'a parameter key' : undefined),
  }),
];

/** Cases on what is sent when a card is read. */
export const REQUEST_CASES: readonly DeviceCase[] = [
  ...DEVICE_REQUEST_CASES,
  ...CLIENT_REQUEST_CASES,
];
