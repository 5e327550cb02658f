import { show } from '../../facts/json.ts';
import type { CardFacts, Format } from '../formats/format.ts';
import { headerValues, pathOf, type SeenRequest } from '../wire/seen-request.ts';
import type { DeviceCase } from './device-case.ts';
import { type Facts, NotShown, SubjectDeviation } from './facts.ts';
import { mustNotHideKey } from './hidden-key.ts';
import { ADMITTING_SCENES, isAnsweredInTime, plainPresentations } from './presentations.ts';
import { longCodeRule, mustSendWholeCodes } from './whole-codes.ts';

const STANDARD_BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

const DEVICE = {
  level: 'stated',
  kind: 'device',
  endpoint: 'hw/consume',
  scenes: ['granted'],
} as const;

function onlyWithSerial({ features }: Format): string | undefined {
  return features.serial ? undefined : 'the requests of this model do not say who sends them';
}

function onlyWithReader({ features }: Format): string | undefined {
  return features.reader ? undefined : 'the requests of this model do not name the reader';
}

function onlyWithControllerFields({ features }: Format): string | undefined {
  return features.controllerFields ? undefined : 'this model has a format of its own';
}

function cardsOf(facts: Facts): SeenRequest[] {
  if (facts.cards.length > 0) return facts.cards;
  throw new NotShown('no card was posted');
}

function readings(facts: Facts): { request: SeenRequest; card: CardFacts }[] {
  return cardsOf(facts).flatMap((request) => {
    const card = facts.format.read(request);
    return card ? [{ request, card }] : [];
  });
}

function mustBeOne(facts: Facts, what: 'serial' | 'reader', field: string): string {
  const all = readings(facts);
  const values = new Set(all.map(({ card }) => String(card[what] ?? '')));
  const [only = ''] = values;
  if (values.size === 1 && only !== '') return `${field} is ${show(only)}`;
  const missing = all.find(({ card }) => String(card[what] ?? '') === '')?.request;
  const observed =
    missing && values.size === 1 ? `no ${field}` : [...values].map((one) => show(one)).join(', ');
  throw new SubjectDeviation(
    `one and the same ${field} in every request`,
    observed,
    missing ?? all.at(-1)?.request,
  );
}

/** @throws SubjectDeviation when all of these posts were for a validate */
function mustConsume(posts: readonly SeenRequest[]): void {
  const [first] = posts;
  if (!first || posts.some((one) => !pathOf(one).endsWith('/validate'))) return;
  throw new SubjectDeviation('POST /scan/hw/consume', pathOf(first), first);
}

/** Cases on what a device sends when a card is read. */
export const DEVICE_REQUEST_CASES: readonly DeviceCase[] = [
  {
    ...DEVICE,
    id: '4.3/device-posts-card',
    requirement: 'The device posts a card that is held in front of its reader.',
    cause:
      'The Card URL is wrong, QR codes are switched off in the reader, or the device never sent anything.',
    judge(facts) {
      if (facts.posts('granted').length > 0) return;
      throw new SubjectDeviation('a request with the card', 'none arrived');
    },
  },
  {
    ...DEVICE,
    id: '4.3/device-card-url',
    requirement:
      'Cards are sent with POST to /scan/hw/consume or /scan/hw/validate, or as the device file says.',
    cause: 'The Card URL was typed wrongly, or the firmware appends something to it.',
    judge(facts) {
      const { format } = facts;
      const wrong = cardsOf(facts).find((one) => !format.isAtAddress(one));
      if (!wrong) return;
      throw new SubjectDeviation(format.addresses.card, facts.targetOf(wrong), wrong);
    },
  },
  {
    ...DEVICE,
    id: '4.6/device-consumes',
    scenes: ADMITTING_SCENES,
    inParts: true,
    requirement:
      'Cards go to the Card URL that the device was given, where each admission takes a use.',
    cause: 'The validate endpoint was typed in: one ticket then admits any number of people.',
    obstacle: ({ file }) =>
      file?.calls.paths ? 'the device file says which of its paths take a use' : undefined,
    judge(facts) {
      mustConsume(facts.posted('granted'));
      for (const name of plainPresentations(facts)) {
        const posts = facts.posts(name).filter((one) => isAnsweredInTime(one, facts.settings));
        if (facts.seen(name).sight.opened && posts.length > 0) mustConsume(facts.posts(name));
      }
    },
  },
  {
    ...DEVICE,
    id: '5/device-key-in-query',
    requirement:
      'Every request has the API key once, unchanged: in the query parameter key, or behind /devices/ in the Device URL.',
    cause:
      'The URL was cut when it was stored, the key was changed to lower case, or the parameter is added twice.',
    judge(facts) {
      const { format, record } = facts;
      const keysIn = (one: SeenRequest): string[] => format.keysIn(one, record.key);
      const wrong = facts.sent.find((one) => {
        const keys = keysIn(one);
        return keys.length !== 1 || keys[0] !== record.key;
      });
      if (!wrong) return;
      const keys = keysIn(wrong);
      const observed = keys.length === 0 ? 'no key' : keys.map((key) => show(key)).join(' and ');
      const expected = format.file?.calls.paths ? '$KEY once, behind /devices/' : 'key=$KEY';
      throw new SubjectDeviation(expected, observed, wrong);
    },
  },
  {
    ...DEVICE,
    id: '5/device-key-only-there',
    level: 'observed',
    requirement:
      'The API key is in the parameter key, or behind /devices/, only: no header, body or other part of the URL has it, or a piece of it, plain or encoded.',
    cause: 'The firmware copies the URL into a Referer header, a log field or the body.',
    judge: (facts) => mustNotHideKey(facts, 'query'),
  },
  {
    ...DEVICE,
    id: '2.4/device-card-body',
    requirement: "The body has the card in the model's own format.",
    cause: 'The device sends another content (Wiegand number, raw text), or no body at all.',
    judge(facts) {
      const wrong = cardsOf(facts).find((one) => facts.format.read(one)?.code === undefined);
      if (!wrong) return;
      const expected = `a body with a card, as ${facts.format.id} sends it`;
      const observed = wrong.body === '' ? facts.targetOf(wrong) : show(wrong.body);
      throw new SubjectDeviation(expected, observed, wrong);
    },
  },
  {
    ...DEVICE,
    id: '2.4/device-card-content',
    requirement: 'What the body says, decoded, is the content of the QR code, byte for byte.',
    cause:
      'The reader cuts long codes, changes letter case, adds a prefix, or Base64 is encoded twice.',
    judge: (facts) => mustSendWholeCodes(facts, true),
  },
  {
    ...DEVICE,
    ...longCodeRule(true),
    id: '2.4/device-long-code',
    cause: 'The reader or the firmware has room for shorter codes, and cuts or drops longer ones.',
  },
  {
    ...DEVICE,
    id: '2.4/device-base64',
    level: 'observed',
    requirement: 'Card is standard Base64 with its padding.',
    cause: 'The firmware uses the URL-safe alphabet, leaves out the padding, or breaks lines.',
    obstacle: onlyWithControllerFields,
    judge(facts) {
      const wrong = readings(facts).find(
        ({ card }) => card.raw !== undefined && !STANDARD_BASE64.test(card.raw),
      );
      if (wrong) throw new SubjectDeviation('standard Base64', show(wrong.card.raw), wrong.request);
    },
  },
  {
    ...DEVICE,
    id: '2.4/device-field-types',
    level: 'observed',
    requirement: 'Serial is a string and Reader is a number.',
    cause: 'The firmware sends every value as a string, or the serial as a number.',
    obstacle: onlyWithControllerFields,
    judge(facts) {
      const wrong = readings(facts).find(
        ({ card }) => typeof card.serial !== 'string' || typeof card.reader !== 'number',
      );
      if (!wrong) return;
      const { serial, reader } = wrong.card;
      const observed = `Serial ${show(serial)}, Reader ${show(reader)}`;
      throw new SubjectDeviation('Serial as text, Reader as a number', observed, wrong.request);
    },
  },
  {
    ...DEVICE,
    id: '2.4/device-serial',
    requirement: 'The device names itself in Serial, and always in the same way.',
    cause: 'The serial is not set, or it changes with the firmware, the address or the power.',
    obstacle: onlyWithSerial,
    judge: (facts) => mustBeOne(facts, 'serial', 'Serial'),
  },
  {
    ...DEVICE,
    id: '2.4/device-reader',
    requirement: 'One reader always has the same index in Reader.',
    cause: 'Reader counts presentations, or is missing.',
    obstacle: onlyWithReader,
    judge: (facts) => mustBeOne(facts, 'reader', 'Reader'),
  },
  {
    ...DEVICE,
    id: '1/device-http',
    level: 'observed',
    requirement: 'Everything that the device sends is HTTP with a Host header.',
    cause: 'The firmware writes its own HTTP, with a wrong Content-Length or line end.',
    judge(facts) {
      const [broken] = facts.record.broken;
      if (broken !== undefined)
        throw new SubjectDeviation('HTTP', `bytes that are no HTTP request (${broken})`);
      const without = facts.sent.find((one) => headerValues(one, 'host').length !== 1);
      if (without) throw new SubjectDeviation('one Host header', 'none, or several', without);
    },
  },
  {
    ...DEVICE,
    id: '2.4/device-content-type',
    level: 'unstated',
    requirement: 'Reported: the content type of the body.',
    cause: 'Servers of this interface read the body whatever the content type says.',
    judge: (facts) =>
      [...new Set(cardsOf(facts).flatMap((one) => headerValues(one, 'content-type')))].join(', ') ||
      'none',
  },
];
