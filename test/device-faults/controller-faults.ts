import type { SubjectSetup } from '../../src/check/index.ts';
import {
  type Controller,
  clockDigits,
  type Decision,
  decided,
  HONEST,
  WAIT_MS,
} from './controller.ts';
import { type Answer, type NoAnswer, objectIn } from './http-post.ts';

/** One small change of an honest subject. */
export interface Fault<Behaviour> {
  /** What is wrong, as the end of a sentence that begins with "A controller" or "A program". */
  readonly does: string;
  /** The cases that fail or warn, and no others. */
  readonly caughtBy: readonly string[];
  /** Cases whose scenes show the fault in those of `caughtBy`. */
  readonly plays?: readonly string[];
  readonly change: Partial<Behaviour>;
}

const base64 = (text: string) => Buffer.from(text).toString('base64');

/** The honest body of a card, with other members. */
function card(change: (code: string, count: number) => object) {
  return (code: string, count: number) => ({
    ...(HONEST.card(code, count) as object),
    ...change(code, count),
  });
}

/** The honest body of a heartbeat, with other members. */
function heartbeat(change: (count: number) => object) {
  return (count: number) => ({ ...HONEST.heartbeat(count), ...change(count) });
}

/** What an honest controller would do, with one difference; undefined stays undefined. */
function decide(change: (decision: Decision, answer: Answer) => Partial<Decision>) {
  return (answer: Answer): Decision | undefined => {
    const decision = HONEST.decide(answer);
    return decision && { ...decision, ...change(decision, answer) };
  };
}

/** Opens on answers with that status, whatever they say. */
const opensOn = (status: number) =>
  decide(({ opens }, answer) => ({ opens: opens || answer.status === status }));

/** Looks for letters in the text, and does not read JSON. */
function searched({ text, status }: Answer): Decision | undefined {
  const found = (name: string) => new RegExp(`"${name}":"([^"]*)"`).exec(text)?.[1] ?? '';
  if (found('AcsRes') === '') return undefined;
  const [relay, seconds] = [found('ActIndex'), Number(found('Time'))];
  const opens = found('AcsRes') === '1' && status === 200;
  return { opens, relay, seconds, name: found('Name'), note: found('Note') };
}

const inUrl = (change: (key: string) => string) => ({
  cardUrl: ({ cardUrl, key }: SubjectSetup) => cardUrl.replace(`key=${key}`, change(key)),
});

const isAnswered = (answer: Answer | NoAnswer): answer is Answer => typeof answer !== 'string';

const headersWith = (more: (key: string) => Readonly<Record<string, string>>) => ({
  headers: (setup: SubjectSetup) => ({ ...HONEST.headers(setup), ...more(setup.key) }),
});

const percent = (text: string) =>
  [...text].map((sign) => `%${sign.charCodeAt(0).toString(16)}`).join('');
const otherCase = (text: string) =>
  [...text].map((sign) => (/[a-z]/.test(sign) ? sign.toUpperCase() : sign.toLowerCase())).join('');

const hidingTheKey: { where: string; change: Partial<Controller> }[] = [
  {
    where: 'in Base64, as a password',
    change: headersWith((key) => ({ authorization: `Basic ${base64(`device:${key}`)}` })),
  },
  {
    where: 'in a cookie, percent-encoded',
    change: headersWith((key) => ({ cookie: `session=${percent(key)}` })),
  },
  {
    where: 'in a header for the log, in the other letter case',
    change: headersWith((key) => ({ 'x-log': otherCase(key) })),
  },
  {
    where: 'backwards',
    change: headersWith((key) => ({ 'x-id': [...key].reverse().join('') })),
  },
  {
    where: 'in three parts',
    change: headersWith((key) => ({
      cookie: `a=${key.slice(0, 16)}`,
      'x-b': key.slice(16, 32),
      'x-c': key.slice(32),
    })),
  },
  {
    where: 'in hex',
    change: headersWith((key) => ({ 'x-id': Buffer.from(key).toString('hex') })),
  },
  {
    where: 'in a second parameter',
    change: { cardUrl: ({ cardUrl, key }) => `${cardUrl}&token=${key}` },
  },
];

/** Each session has codes of its own. */
const CARDS_BEFORE = new Set<string>();
const BOOTED_AT = clockDigits(new Date());

/** Controllers with one fault each. */
export const CONTROLLER_FAULTS: readonly Fault<Controller>[] = [
  {
    does: 'posts to the Card URL with a slash at its end',
    caughtBy: ['4.3/device-card-url'],
    change: { cardUrl: ({ cardUrl }) => cardUrl.replace('/consume?', '/consume/?') },
  },
  {
    does: 'sends cards with PUT',
    caughtBy: ['4.3/device-card-url', '4.5/device-heart-url'],
    change: { method: 'PUT' },
  },
  {
    does: 'changes the key to lower case',
    caughtBy: ['5/device-key-in-query'],
    change: inUrl((key) => `key=${key.toLowerCase()}`),
  },
  {
    does: 'adds the key twice',
    caughtBy: ['5/device-key-in-query'],
    change: inUrl((key) => `key=${key}&key=${key}`),
  },
  {
    does: 'copies the key into a header',
    caughtBy: ['5/device-key-only-there'],
    change: {
      headers: (setup) => ({ ...HONEST.headers(setup), referer: setup.cardUrl }),
    },
  },
  {
    does: 'sends the plain content of the code as Card',
    caughtBy: ['2.4/device-card-content'],
    change: { card: card((code) => ({ Card: code })) },
  },
  {
    does: 'sends the content of the code as the body',
    caughtBy: ['2.4/device-card-body'],
    change: { card: (code) => code },
  },
  {
    does: 'encodes the code twice',
    caughtBy: ['2.4/device-card-content'],
    change: { card: card((code) => ({ Card: base64(base64(code)) })) },
  },
  {
    does: 'cuts codes to 32 characters',
    caughtBy: ['2.4/device-card-content'],
    change: { card: card((code) => ({ Card: base64(code.slice(0, 32)) })) },
  },
  {
    does: 'changes codes to upper case',
    caughtBy: ['2.4/device-card-content'],
    change: { card: card((code) => ({ Card: base64(code.toUpperCase()) })) },
  },
  {
    does: 'leaves out the padding of Base64',
    caughtBy: ['2.4/device-base64'],
    change: { card: card((code) => ({ Card: base64(`${code}\n`).replace(/=+$/, '') })) },
  },
  {
    does: 'sends every value as a string',
    caughtBy: ['2.4/device-field-types'],
    change: { card: card(() => ({ Reader: '0' })) },
  },
  {
    does: 'does not name itself',
    caughtBy: ['2.4/device-serial'],
    change: { card: card(() => ({ Serial: undefined })) },
  },
  {
    does: 'has another serial in every request',
    caughtBy: ['2.4/device-serial'],
    change: { card: card((_code, count) => ({ Serial: `S-${count}` })) },
  },
  {
    does: 'counts presentations in Reader',
    caughtBy: ['2.4/device-reader'],
    change: { card: card((_code, count) => ({ Reader: count })) },
  },
  {
    does: 'posts a card twice',
    caughtBy: ['3.2/device-posts-once'],
    change: { repeats: (answer, tries) => isAnswered(answer) && tries < 2 },
  },
  {
    does: 'posts a card twice when its answer came in chunks',
    caughtBy: ['3.2/device-posts-once'],
    change: {
      repeats: (answer, tries) =>
        isAnswered(answer) && answer.headers['transfer-encoding'] === 'chunked' && tries < 2,
    },
  },
  {
    does: 'posts a card once more while the answer is on its way',
    caughtBy: ['3.2/device-posts-once'],
    change: { hedgeMs: 0.6 * WAIT_MS },
  },
  {
    does: 'validates every card after the fifth',
    caughtBy: ['4.6/device-consumes'],
    change: {
      cardUrl: ({ cardUrl }, _code, count) =>
        count > 5 ? cardUrl.replace('/consume', '/validate') : cardUrl,
    },
  },
  {
    does: 'validates a card that comes again',
    caughtBy: ['4.6/device-consumes'],
    change: {
      cardUrl: ({ cardUrl }, code) => {
        if (CARDS_BEFORE.has(code)) return cardUrl.replace('/consume', '/validate');
        CARDS_BEFORE.add(code);
        return cardUrl;
      },
    },
  },
  {
    does: 'remembers a card for good',
    caughtBy: ['4.6/device-admits-after-denial'],
    change: { postsAgain: (agoMs) => agoMs === Infinity },
  },
  {
    does: 'sends heartbeats to the Card URL',
    caughtBy: ['4.5/device-heart-url'],
    change: { heartUrl: ({ cardUrl }) => cardUrl },
  },
  {
    does: 'sends heartbeats whenever it likes',
    caughtBy: ['4.5/device-heartbeat-regular'],
    change: { heartbeatMs: (count) => (count % 2 === 0 ? 30 : 800) },
  },
  {
    does: 'sends one heartbeat and no more',
    caughtBy: ['4.5/device-heartbeat-regular'],
    change: { heartbeatMs: () => 1_000_000 },
  },
  {
    does: 'names the field of heartbeats otherwise',
    caughtBy: ['4.5/device-heartbeat-key'],
    change: {
      heartbeat: () => ({ key: 'C0FFEE01', Serial: 'HONEST-0001' }),
      acceptsEcho: () => true,
    },
  },
  {
    does: 'has another serial in heartbeats',
    caughtBy: ['4.5/device-heartbeat-serial'],
    change: { heartbeat: heartbeat(() => ({ Serial: 'HEART-1' })) },
  },
  {
    does: 'wants another Key than it sent',
    caughtBy: ['4.5/device-accepts-echo'],
    change: { acceptsEcho: (_sent, echo) => echo === 'OK' },
  },
  {
    does: 'lives in the year 2000',
    caughtBy: ['4.5/device-clock'],
    change: { heartbeat: heartbeat(() => ({ Now: clockDigits(new Date('2000-01-01')) })) },
  },
  {
    does: 'never opens',
    caughtBy: ['4.6/device-opens-on-grant'],
    change: { decide: decide(() => ({ opens: false })) },
  },
  {
    does: 'opens on everything but "0"',
    caughtBy: ['4.6/device-opens-on-1-only'],
    change: {
      decide: (answer) => {
        const members = answer.isWhole ? objectIn(answer.text) : undefined;
        return members && answer.status === 200
          ? { ...decided(members), opens: members['AcsRes'] !== '0' }
          : HONEST.decide(answer);
      },
    },
  },
  {
    does: 'opens on everything that begins with a 1',
    caughtBy: ['4.6/device-opens-on-1-only'],
    change: {
      decide: decide((_decision, { text, status }) => ({
        opens: status === 200 && String(objectIn(text)?.['AcsRes']).startsWith('1'),
      })),
    },
  },
  {
    does: 'opens when a time is given',
    caughtBy: ['4.6/device-opens-on-1-only'],
    change: {
      decide: (answer) => {
        const members = answer.isWhole ? objectIn(answer.text) : undefined;
        return members && answer.status === 200
          ? { ...decided(members), opens: Number(members['Time']) > 0 }
          : HONEST.decide(answer);
      },
    },
  },
  {
    does: 'opens on every HTTP 200 with a decision',
    caughtBy: ['7.3/device-shut-on-denial'],
    change: { decide: opensOn(200) },
  },
  ...[
    [400, '7.1/device-shut-on-400'],
    [401, '5/device-shut-on-401'],
    [403, '5/device-shut-on-403'],
    [404, '7.1/device-shut-on-404'],
    [429, '8/device-shut-on-429'],
  ].map(([status, id]) => ({
    does: `opens on HTTP ${status}`,
    caughtBy: [String(id)],
    change: { decide: opensOn(Number(status)) },
  })),
  {
    does: 'opens on HTTP 500',
    caughtBy: ['7.1/device-shut-on-500'],
    change: { decide: opensOn(500) },
  },
  {
    does: 'does not look at the HTTP status',
    caughtBy: ['7.1/device-shut-on-500-grant'],
    change: {
      decide: decide((_decision, { text }) => ({ opens: objectIn(text)?.['AcsRes'] === '1' })),
    },
  },
  {
    does: 'shows a text of its own on a denial',
    caughtBy: ['7.3/device-shows-note'],
    change: { decide: decide(({ opens, note }) => ({ note: opens ? note : 'Kein Zutritt' })) },
  },
  {
    does: 'shows UTF-8 as Latin-1',
    caughtBy: ['2.4/device-shows-name'],
    change: {
      decide: decide(({ name, note }) => ({
        name: Buffer.from(name).toString('latin1'),
        note: Buffer.from(note).toString('latin1'),
      })),
    },
  },
  {
    does: 'shows no text of an HTTP error',
    caughtBy: ['7.3/device-shows-note-of-errors'],
    change: {
      decide: decide(({ note }, { status }) => ({ note: status === 200 ? note : '' })),
    },
  },
  {
    does: 'shows eight letters of Name',
    caughtBy: ['2.4/device-shows-name'],
    change: { decide: decide(({ name }) => ({ name: name.slice(0, 8) })) },
  },
  {
    does: 'shows sixteen letters of Note',
    caughtBy: ['2.4/device-shows-full-note'],
    change: {
      decide: decide(({ opens, note }) => ({ note: opens ? note.slice(0, 16) : note })),
    },
  },
  {
    does: 'has its relays swapped',
    caughtBy: ['2.4/device-relay-in'],
    change: { decide: decide(({ relay }) => ({ relay: relay === '0' ? '1' : '0' })) },
  },
  {
    does: 'always switches relay IN',
    caughtBy: ['2.4/device-relay-out'],
    change: { decide: decide(() => ({ relay: '0' })) },
  },
  {
    does: 'opens for a time of its own',
    caughtBy: ['2.4/device-open-time'],
    change: { decide: decide(() => ({ seconds: 0.1 })) },
  },
  {
    does: 'reads Time as tenths of a second',
    caughtBy: ['2.4/device-open-time'],
    change: { decide: decide(({ seconds }) => ({ seconds: seconds / 10 })) },
  },
  {
    does: 'searches the text of an answer',
    caughtBy: ['4.3/device-malformed-answer', '4.3/device-any-json'],
    change: { decide: searched },
  },
  {
    does: 'takes the first piece of an answer for all of it',
    caughtBy: ['7.3/device-slow-answer'],
    change: { readsOnce: true },
  },
  {
    does: 'does not decode escapes',
    caughtBy: ['2.4/device-escaped-text'],
    change: {
      decide: decide((decision, { text }) =>
        text.includes('\\u') ? { name: '', note: '' } : decision,
      ),
    },
  },
  {
    does: 'reads no chunked answer',
    caughtBy: ['4.3/device-chunked-answer'],
    change: {
      decide: (answer) =>
        answer.headers['transfer-encoding'] === undefined ? HONEST.decide(answer) : undefined,
    },
  },
  {
    does: 'opens without an answer',
    caughtBy: ['7.3/device-no-answer'],
    change: { failsOpen: (answer) => !isAnswered(answer) },
  },
  {
    does: 'opens when the time is over',
    caughtBy: ['7.3/device-no-answer'],
    change: { failsOpen: (answer) => answer === 'silence' },
  },
  {
    does: 'opens when a connection breaks',
    caughtBy: ['7.1/device-lost-answer'],
    change: { failsOpen: (answer) => answer === 'broken' },
  },
  {
    does: 'opens when the server cannot be reached',
    caughtBy: ['7.3/device-unreachable'],
    change: { failsOpen: (answer) => answer === 'refused' },
  },
  {
    does: 'opens on half of an answer',
    caughtBy: ['7.1/device-cut-answer'],
    change: { failsOpen: (answer) => isAnswered(answer) && !answer.isWhole },
  },
  {
    does: 'opens on an answer that it cannot read',
    caughtBy: ['4.3/device-malformed-answer'],
    change: {
      failsOpen: (answer) => isAnswered(answer) && answer.isWhole && answer.status !== 302,
    },
  },
  {
    does: 'opens on a web page',
    caughtBy: ['4.3/device-web-page'],
    change: {
      failsOpen: (answer) =>
        isAnswered(answer) && /html/.test(String(answer.headers['content-type'])),
    },
  },
  {
    does: 'waits far longer than it is set to',
    caughtBy: ['7.3/device-late-grant'],
    change: { waitMs: 3 * HONEST.waitMs },
  },
  {
    does: 'reads its Wait Time in another unit',
    caughtBy: ['7.3/device-waits'],
    change: { waitMs: HONEST.waitMs / 2 },
  },
  {
    does: 'opens for a card that was admitted before, though it is denied',
    caughtBy: ['4.6/device-asks-each-time'],
    change: { opensKnown: isAnswered },
  },
  {
    does: 'opens offline for a card that was admitted before',
    caughtBy: ['7.3/device-remembers-no-admission'],
    change: { opensKnown: (answer) => answer === 'refused' },
  },
  {
    does: 'opens for a card that was admitted before when the time is over',
    caughtBy: ['7.3/device-remembers-no-admission'],
    change: { opensKnown: (answer) => answer === 'silence' },
  },
  ...(
    [
      [400, '7.1/device-shut-on-400'],
      [401, '5/device-shut-on-401'],
      [403, '5/device-shut-on-403'],
      [404, '7.1/device-shut-on-404'],
      [429, '8/device-shut-on-429'],
      [500, '7.1/device-shut-on-500'],
    ] as const
  ).map(
    ([status, id]): Fault<Controller> => ({
      does: `opens on HTTP ${status} for a card that was admitted before`,
      caughtBy: [id],
      change: { opensKnown: (answer) => isAnswered(answer) && answer.status === status },
    }),
  ),
  {
    does: 'opens on an answer that it cannot read for a card that was admitted before',
    caughtBy: ['4.3/device-malformed-answer'],
    change: {
      opensKnown: (answer) => isAnswered(answer) && answer.isWhole && !objectIn(answer.text),
    },
  },
  {
    does: 'opens once more for a card that was admitted a second ago',
    caughtBy: ['4.6/device-asks-each-time'],
    change: { opensKnown: (answer, agoMs) => isAnswered(answer) && agoMs < 600 },
  },
  {
    does: 'opens on HTTP 503',
    caughtBy: ['7.1/device-shut-on-500-grant'],
    change: { decide: opensOn(503) },
  },
  {
    does: 'opens on an admission with HTTP 403',
    caughtBy: ['7.1/device-shut-on-500-grant'],
    change: {
      decide: decide(({ opens }, { status, text }) => ({
        opens: opens || (status === 403 && objectIn(text)?.['AcsRes'] === '1'),
      })),
    },
  },
  {
    does: 'stays shut for a card that was admitted before',
    caughtBy: ['4.6/device-opens-on-grant'],
    change: { refusesKnown: true },
  },
  ...['(1/1)', '(2/10)', '(1/9999)'].map(
    (uses): Fault<Controller> => ({
      does: `stays shut on ${uses}`,
      caughtBy: ['4.6/device-opens-on-grant'],
      change: {
        decide: decide(({ opens, note }) => ({ opens: opens && !note.includes(uses) })),
      },
    }),
  ),
  {
    does: 'opens on a denial for relay OUT',
    caughtBy: ['4.6/device-opens-on-1-only'],
    change: { decide: decide(({ opens, relay }) => ({ opens: opens || relay === '1' })) },
  },
  {
    does: 'looks for the decision in an inner object, too',
    caughtBy: ['4.6/device-opens-on-1-only'],
    change: {
      decide: (answer) => {
        const inner = objectIn(answer.text)?.['result'];
        const opens = (inner as Record<string, unknown> | undefined)?.['AcsRes'] === '1';
        const none = { relay: '0', seconds: 1, name: '', note: 'Offline' };
        return opens ? { ...none, opens } : HONEST.decide(answer);
      },
    },
  },
  {
    does: 'takes true for an admission',
    caughtBy: ['4.6/device-opens-on-1-only'],
    change: {
      decide: decide(({ opens }, { text }) => ({
        opens: opens || objectIn(text)?.['AcsRes'] === true,
      })),
    },
  },
  ...[307, 401].map(
    (status): Fault<Controller> => ({
      does: `opens when a heartbeat is answered with HTTP ${status}`,
      caughtBy: ['4.6/device-never-opens-by-itself'],
      plays: ['5/device-heartbeat-redirect'],
      change: { opensOnBeat: (answer) => answer.status === status },
    }),
  ),
  {
    does: 'follows HTTP 307 with a card',
    caughtBy: ['5/device-redirect'],
    change: { followsRedirects: (status) => status === 307 },
  },
  {
    does: 'shows nothing when no answer comes',
    caughtBy: ['7.3/device-tells-failure'],
    change: { tellsFailure: false },
  },
  {
    does: 'posts a refused card again and again',
    caughtBy: ['8/device-does-not-flood'],
    change: {
      repeats: (answer, tries) => tries < 6 && (!isAnswered(answer) || answer.status >= 400),
    },
  },
  {
    does: 'gives up after an outage',
    caughtBy: ['4.5/device-comes-back'],
    change: { givesUp: true },
  },
  {
    does: 'sends no heartbeat after one that failed',
    caughtBy: ['4.5/device-comes-back'],
    change: { beatsAgain: false },
  },
  {
    does: 'opens at power on',
    caughtBy: ['4.6/device-never-opens-by-itself'],
    change: { opensAtPowerOn: true },
  },
  {
    does: 'needs a button after a power loss',
    caughtBy: ['4.6/device-after-power-loss'],
    change: { afterPower: 'dead' },
  },
  {
    does: 'posts stored cards after a power loss',
    caughtBy: ['3.2/device-silent-after-power-loss'],
    change: { afterPower: 'posts-stored-cards' },
  },
  {
    does: 'follows redirects with its key',
    caughtBy: ['5/device-redirect'],
    change: { followsRedirects: () => true },
  },
  {
    does: 'cuts codes to 64 characters',
    caughtBy: ['2.4/device-long-code'],
    change: { scanned: (code) => code.slice(0, 64) },
  },
  {
    does: 'reads no code above 100 characters',
    caughtBy: ['2.4/device-long-code'],
    change: { scanned: (code) => (code.length > 100 ? undefined : code) },
  },
  {
    does: 'leaves the end of a longer code behind a shorter one',
    caughtBy: ['2.4/device-card-content'],
    change: { scanned: (code, before) => code + before.slice(code.length) },
  },
  {
    does: 'types codes as a German keyboard does',
    caughtBy: ['2.4/device-card-content'],
    change: { scanned: (code) => code.replaceAll('_', '?').replaceAll('-', 'ß') },
  },
  {
    does: 'breaks the lines of Base64',
    caughtBy: ['2.4/device-base64'],
    change: { card: card((code) => ({ Card: base64(code).replace(/.{76}/g, '$&\r\n') })) },
  },
  {
    does: 'mixes two readers up',
    caughtBy: ['2.4/device-reader'],
    change: { card: card((_code, count) => ({ Reader: count % 2 })) },
  },
  {
    does: 'sends its serial now as text, now as a number',
    caughtBy: ['2.4/device-field-types'],
    change: {
      card: card((_code, count) => ({ Serial: count % 2 === 0 ? 1234 : '1234' })),
    },
  },
  {
    does: 'posts to the validate endpoint',
    caughtBy: ['4.6/device-consumes'],
    change: { cardUrl: ({ cardUrl }) => cardUrl.replace('/consume?', '/validate?') },
  },
  ...hidingTheKey.map(({ where, change }) => ({
    does: `hides the key ${where}`,
    caughtBy: ['5/device-key-only-there'],
    change,
  })),
  {
    does: 'follows redirects of heartbeats with its key',
    caughtBy: ['5/device-heartbeat-redirect'],
    change: { beatsFollowRedirects: true },
  },
  {
    does: 'sends no heartbeat for some seconds',
    caughtBy: ['4.5/device-heartbeat-regular'],
    change: { heartbeatMs: (count) => (count === 3 ? 2600 : HONEST.heartbeatMs(count)) },
  },
  {
    does: 'repeats the time of its first heartbeat',
    caughtBy: ['4.5/device-clock'],
    change: { heartbeat: heartbeat(() => ({ Now: BOOTED_AT })) },
  },
  {
    does: 'goes by the last answer when none can be read',
    caughtBy: ['4.3/device-malformed-answer', '7.3/device-no-answer'],
    plays: [
      '7.3/device-waits',
      '7.3/device-slow-answer',
      '4.3/device-chunked-answer',
      '4.3/device-any-json',
    ],
    change: { goesByTheLast: true },
  },
  {
    does: 'opens when it is redirected',
    caughtBy: ['4.3/device-web-page'],
    change: { failsOpen: (answer) => isAnswered(answer) && answer.status === 302 },
  },
  {
    does: 'wants application/json and nothing behind it',
    caughtBy: ['4.3/device-any-json'],
    change: {
      decide: (answer) =>
        answer.headers['content-type'] === 'application/json' ? HONEST.decide(answer) : undefined,
    },
  },
  {
    does: 'wants a Name',
    caughtBy: ['2.4/device-opens-without-name'],
    change: { decide: decide(({ opens, name }) => ({ opens: opens && name !== '' })) },
  },
  {
    does: 'reads Time as milliseconds',
    caughtBy: ['2.4/device-open-time'],
    change: { decide: decide(({ seconds }) => ({ seconds: seconds / 1000 })) },
  },
  {
    does: 'opens twice',
    caughtBy: ['4.6/device-opens-once'],
    change: { opensTwice: true },
  },
  {
    does: 'does not ask again for a card that was denied',
    caughtBy: ['4.6/device-admits-after-denial'],
    change: { keepsDenied: true },
  },
  {
    does: 'posts cards later that it could not post',
    caughtBy: ['3.2/device-silent-after-outage'],
    change: { sendsLater: true },
  },
];
