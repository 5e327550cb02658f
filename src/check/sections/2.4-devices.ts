import type { Cell, CheckCase } from '../cases/case.ts';
import { NAME_BYTES_MAX, NOTE_BYTES_MAX, notStrings, usesInNote } from '../facts/device-answer.ts';
import {
  DEVICE,
  describeAnswer,
  endpointAt,
  HARDWARE,
  isConsume,
  type RequestSpec,
} from '../facts/exchange.ts';
import { isBrokenText, isRecord, parsedJson, show, whyUnreadable } from '../facts/json.ts';
import { read } from '../facts/reading.ts';
import { countIn, expectAbsent, expectDenied, expectFields } from '../judging/expect.ts';
import { cardOf } from '../requests/scan-request.ts';
import { judging, on, reviewCases, ruling, wrongFields } from '../samples/matrix.ts';
import {
  decoyFor,
  grantedCode,
  grantFor,
  outcomeOf,
  quieterKey,
  REFUSED,
} from '../samples/samples.ts';
import { OTHER_CARDS, WRONG_CARDS } from '../stimuli/cards.ts';
import { COUNTED_SENDERS, SENDERS } from '../stimuli/members.ts';

type Sent = Readonly<Record<string, unknown>>;

const CHARACTERS_SHOWN = 100;
/** Cards without a code. One that is Base64 or a text gets a denial in the device format: the model is known by its body. */
const UNREADABLE: readonly (readonly [variant: string, sent: Sent | string, isDenied: boolean])[] =
  [
    ['no-json', '{"Card":', false],
    ['no-base64', { Card: '!!! not base64 !!!' }, true],
    ['noise', { Card: Buffer.from([0xff, 0xfe, 0x00, 0x80, 0x7f]).toString('base64') }, true],
    ['empty', { Card: '' }, false],
    ['missing', {}, false],
    ['no-string', { Card: 12345 }, false],
  ];

const reviewCase = reviewCases(DEVICE, ['AcsRes']);

/** Section 2.4: the answer to a device, field by field. */
export const DEVICE_FORMAT_CASES: readonly CheckCase[] = [
  {
    id: '2.4/device-format',
    phase: 'review',
    requirement:
      'What is said to a device is a JSON object in UTF-8 with AcsRes, ActIndex, Time and a Note that is not empty, a denial too.',
    ...ruling(HARDWARE, ({ answer, level, request }, isKeyGood) => {
      // how a refused key or an internal error is told to a device is not shown
      if (
        !isKeyGood ||
        level !== 'stated' ||
        [401, 429].includes(answer.status) ||
        answer.status >= 500
      )
        return undefined;
      const unreadable = whyUnreadable(answer);
      if (unreadable) return ['a JSON object in UTF-8', unreadable];
      if (endpointAt(request) === 'heartbeat') return undefined;
      const json = isRecord(answer.json) ? answer.json : {};
      const missing = ['AcsRes', 'ActIndex', 'Time', 'Note'].filter((name) => !(name in json));
      if (missing.length > 0)
        return ['AcsRes, ActIndex, Time, Note', `${missing.join(', ')} missing`, missing];
      return json['Note'] === '' ? ['Note: text', 'Note: ""', ['Note']] : undefined;
    }),
  },
  reviewCase({
    id: '2.4/acs-res-values',
    requirement: 'AcsRes is "1" (granted) or "0" (denied).',
    wrong: (answer) =>
      answer['AcsRes'] === '0' || answer['AcsRes'] === '1'
        ? undefined
        : wrongFields(answer, ['AcsRes'], 'AcsRes: "0" or "1"'),
  }),
  reviewCase({
    id: '2.4/all-values-are-strings',
    requirement: 'All values of a device answer are strings.',
    wrong: (answer) => wrongFields(answer, notStrings(answer), 'strings only'),
  }),
  textCase('2.4/note-bytes', 'Note', NOTE_BYTES_MAX),
  textCase('2.4/name-bytes', 'Name', NAME_BYTES_MAX),
  reviewCase({
    id: '2.4/every-grant-opens',
    states: ['an opening'],
    requirement:
      'Every grant of the run opens a door: ActIndex "0" or "1", Time more than 0, a Name, and the Note of a grant.',
    wrong(answer) {
      if (String(answer['AcsRes']) !== '1') return undefined;
      const wrong = Object.entries(GRANT_RULES).filter(([name, [, fits]]) => !fits(answer[name]));
      return wrongFields(
        answer,
        wrong.map(([name]) => name),
        wrong.map(([name, [text]]) => `${name}: ${text}`).join(', '),
      );
    },
  }),
  reviewCase({
    id: '2.4/denials-keep-the-door-shut',
    requirement: 'ActIndex and Time are "0" on every denial.',
    wrong(answer) {
      if (answer['AcsRes'] !== '0') return undefined;
      const names = ['ActIndex', 'Time'].filter((name) => answer[name] !== '0');
      return wrongFields(answer, names, names.map((name) => `${name}: "0"`).join(', '));
    },
  }),
  {
    id: '2.4/name-absent-on-denial',
    level: 'observed',
    requirement: 'Name is absent in the denied example.',
    cells: judging(['exhausted'], DEVICE, (exchange) => expectAbsent(exchange, ['Name'])),
  },
];

/** Section 2.4: what a device sends. */
export const CARD_CASES: readonly CheckCase[] = [
  {
    id: '2.4/any-sender',
    states: ['any reader'],
    buildsOn: ['5/scoped-keys-scan-like-others', '4/good-ticket', '5/own-event'],
    requirement: 'Any Reader index and any Serial is accepted, as sent by the device.',
    cells: DEVICE.flatMap((endpoint) =>
      SENDERS.map(({ name, sent }) => ({
        endpoint,
        variant: name,
        ...grantFor(endpoint),
        async run(scan) {
          const Card = cardOf(grantedCode(scan, endpoint));
          const key = quieterKey(scan, endpoint);
          const request = scan.cardRequest(endpoint, { Card, ...sent }, key);
          expectFields(await scan.send(request), { AcsRes: '1' });
        },
      })),
    ),
  },
  {
    id: '2.4/refused-at-every-reader',
    buildsOn: ['7.3/note', '2.4/any-sender'],
    requirement:
      'A ticket that is refused is refused at every Reader, with the Note that says why.',
    cells: judging(
      [...REFUSED, 'forged', 'outOfScope'],
      DEVICE,
      async ({ request }, scan, { situation, endpoint }) => {
        for (const Reader of [1, 2])
          expectDenied(await scan.send(atReader(request, Reader)), outcomeOf(situation, endpoint));
      },
    ),
  },
  {
    id: '2.4/counted-at-every-reader',
    buildsOn: ['3.2/each-use-is-counted'],
    requirement:
      'Each door that opens takes one use, for any Reader and Serial that the device sends.',
    cells: on(['hw/consume'], (endpoint) => ({
      keys: ['rest', 'hardware'],
      tickets: { permanent: 1 },
      uses: { permanent: COUNTED_SENDERS.length },
      async run(scan) {
        const { code } = scan.ticket('permanent');
        const [key, seeing] = [quieterKey(scan, endpoint), quieterKey(scan, 'validate')];
        let used = countIn(await scan.validate(code, seeing), 'usesConsumed');
        for (const { name, sent } of COUNTED_SENDERS) {
          const request = scan.cardRequest(endpoint, { Card: cardOf(code), ...sent }, key);
          const exchange = await scan.aside((aside) => aside.send(request));
          const seen = countIn(await scan.validate(code, seeing), 'usesConsumed');
          // one that is refused may count or not
          used = read(exchange.answer).outcome === 'granted' ? used + 1 : seen;
          if (seen !== used)
            scan.fail(
              `usesConsumed: ${used}`,
              `${seen} after the door opened with ${inWords(sent) || name}`,
              exchange,
            );
        }
      },
    })),
  },
  {
    id: '2.4/two-readers-one-ticket',
    requirement: 'What is in Card decides, not the reader that it was read by.',
    cells: on(DEVICE, (endpoint) => ({
      ...grantFor(endpoint),
      async run(scan) {
        const genuine = grantedCode(scan, endpoint);
        expectFields(await scan.ask(endpoint, genuine), { AcsRes: '1' });
        expectFields(await scan.askForged(endpoint, `${genuine}AAAA`), { AcsRes: '0' });
      },
    })),
  },
  {
    id: '2.4/unreadable-card',
    buildsOn: ['2.2/forged-code'],
    requirement: 'A Card without a ticket code opens no door; where it is a text, it is denied.',
    cells: DEVICE.flatMap((endpoint) =>
      UNREADABLE.map(([variant, sent, isDenied]) => ({
        endpoint,
        variant,
        keys: ['hardware'],
        async run(scan) {
          const request = scan.cardRequest(endpoint, typeof sent === 'string' ? {} : sent);
          const exchange = await scan.send(
            typeof sent === 'string' ? { ...request, body: sent } : request,
          );
          if (isDenied) expectFields(exchange, { AcsRes: '0' });
          else if (read(exchange.answer).outcome === 'granted')
            scan.fail('no grant', describeAnswer(exchange.answer));
        },
      })),
    ),
  },
  {
    id: '2.4/card-of-another-encoding',
    requirement:
      'Card is the Base64 of the QR code: one that is encoded in another way, or is no text, opens no door.',
    cells: DEVICE.flatMap((endpoint) =>
      WRONG_CARDS.map(
        ({ name, what, card }): Cell => ({
          endpoint,
          variant: name,
          keys: ['hardware'],
          ...decoyFor(endpoint, 1),
          // careless software finds the code of the ticket in some of them
          ...(isConsume(endpoint) ? { uses: {} } : {}),
          async run(scan) {
            const body = { Card: card(scan.decoy()) };
            const request = scan.cardRequest(endpoint, body, quieterKey(scan, endpoint));
            const exchange = await scan.aside((aside) => aside.send(request));
            if (['granted', 'error'].includes(read(exchange.answer).outcome))
              scan.fail('a denial', `${describeAnswer(exchange.answer)}, where ${what}`, exchange);
          },
        }),
      ),
    ),
  },
  {
    id: '2.4/answer-to-other-cards',
    level: 'unstated',
    requirement: 'What cards get that are encoded in another way.',
    cells: OTHER_CARDS.map(
      ({ name, card }): Cell => ({
        endpoint: 'hw/validate',
        variant: name,
        keys: ['hardware'],
        tickets: { single: 1 },
        async run(scan) {
          const body = { Card: card(scan.ticket('single').code) };
          return describeAnswer((await scan.send(scan.cardRequest('hw/validate', body))).answer);
        },
      }),
    ),
  },
];

type GrantRule = readonly [expected: string, fits: (value: unknown) => boolean];

/** What a grant needs to open a door. */
const GRANT_RULES: Readonly<Record<string, GrantRule>> = {
  ActIndex: ['"0" or "1"', (value) => /^[01]$/.test(String(value))],
  Time: [
    'seconds, more than 0',
    (value) => /^\d+(\.\d+)?$/.test(String(value)) && Number(value) > 0,
  ],
  Name: ['text', (value) => typeof value === 'string'],
  Note: ['Ticket gültig (<used>/<allowed>)', (value) => usesInNote(value) !== undefined],
};

function textCase(id: string, name: string, bytesMax: number): CheckCase {
  return reviewCase({
    id,
    requirement: `${name} has at most ${bytesMax} bytes and is no broken text.`,
    wrong: ({ [name]: text }) => {
      if (typeof text !== 'string') return undefined;
      const bytes = Buffer.byteLength(text);
      if (bytes > bytesMax)
        return [`${name}: at most ${bytesMax} bytes`, `${bytes} bytes: ${show(text)}`, [name]];
      return isBrokenText(text)
        ? [`${name}: whole characters`, `a broken character: ${show(text)}`, [name]]
        : undefined;
    },
  });
}

/** The same request of a device with another reader. */
function atReader(request: RequestSpec, Reader: number): RequestSpec {
  const sent = parsedJson(String(request.body));
  return { ...request, body: JSON.stringify({ ...(isRecord(sent) ? sent : {}), Reader }) };
}

/** What a device sent, short enough for a sentence. */
function inWords(sent: Sent): string {
  const text = JSON.stringify(sent).slice(1, -1);
  return text.length > CHARACTERS_SHOWN ? `${text.slice(0, CHARACTERS_SHOWN)}…` : text;
}
