import type { SubjectSetup } from '../../src/check/index.ts';
import {
  type Controller,
  clockDigits,
  type Decision,
  decided,
  HONEST,
  WAIT_MS,
} from './controller.ts';
import { type Fault, faultsBy } from './fault.ts';
import { type Answer, type NoAnswer, objectIn } from './http-post.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');

/** The honest body of a card, with other members. */
function card(change: (code: string, count: number) => object) {
  return (code: string, count: number) => ({
    ...(HONEST.card(code, count) as object),
    ...change(code, count),
  });
}

/** The honest body of a heartbeat, with other members. */
function heartbeat(change: (bootedAt: Date) => object): Controller['heartbeat'] {
  return (count, now, bootedAt) => ({
    ...HONEST.heartbeat(count, now, bootedAt),
    ...change(bootedAt),
  });
}

/** What an honest controller would do, with one difference; undefined stays undefined. */
function decide(change: (decision: Decision, answer: Answer) => Partial<Decision>) {
  return (answer: Answer): Decision | undefined => {
    const decision = HONEST.decide(answer);
    return decision && { ...decision, ...change(decision, answer) };
  };
}

const ADMISSION = { AcsRes: '1', ActIndex: '0', Time: '1' };

/** Makes something else of the JSON of an answer before it decides. */
function read(change: (value: unknown) => unknown) {
  return (answer: Answer): Decision | undefined => {
    try {
      const text = JSON.stringify(change(JSON.parse(answer.text)));
      return HONEST.decide({ ...answer, text });
    } catch {
      return undefined;
    }
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

/** Opens on answers with that status, for any card or for one that was admitted before. */
const opening = (status: number) => ({
  [`opens on HTTP ${status}`]: { decide: opensOn(status) },
  [`opens on HTTP ${status} for a card that was admitted before`]: {
    opensKnown: (answer: Answer | NoAnswer) => isAnswered(answer) && answer.status === status,
  },
});

const shutOn = (uses: string) => ({
  decide: decide(({ opens, note }) => ({ opens: opens && !note.includes(uses) })),
});

const opensOnBeat = (status: number) => ({
  opensOnBeat: (answer: Answer) => answer.status === status,
});

/** Each session has codes of its own. */
const CARDS_BEFORE = new Set<string>();

/** Controllers with one fault each. */
export const CONTROLLER_FAULTS: readonly Fault<Controller>[] = faultsBy<Controller>({
  '4.3/device-card-url': {
    'posts to the Card URL with a slash at its end': {
      cardUrl: ({ cardUrl }) => cardUrl.replace('/consume?', '/consume/?'),
    },
  },
  '4.3/device-card-url, 4.5/device-heart-url': {
    'sends cards with PUT': { method: 'PUT' },
  },
  '5/device-key-in-query': {
    'changes the key to lower case': inUrl((key) => `key=${key.toLowerCase()}`),
    'adds the key twice': inUrl((key) => `key=${key}&key=${key}`),
  },
  '5/device-key-only-there': {
    'hides the key in Base64, as a password': headersWith((key) => ({
      authorization: `Basic ${base64(`device:${key}`)}`,
    })),
    'hides the key in a cookie, percent-encoded': headersWith((key) => ({
      cookie: `session=${percent(key)}`,
    })),
    'hides the key in a header for the log, in the other letter case': headersWith((key) => ({
      'x-log': otherCase(key),
    })),
    'hides the key backwards': headersWith((key) => ({ 'x-id': [...key].reverse().join('') })),
    'hides the key in three parts': headersWith((key) => ({
      cookie: `a=${key.slice(0, 16)}`,
      'x-b': key.slice(16, 32),
      'x-c': key.slice(32),
    })),
    'hides the key in hex': headersWith((key) => ({ 'x-id': Buffer.from(key).toString('hex') })),
    'hides the key in a second parameter': {
      cardUrl: ({ cardUrl, key }) => `${cardUrl}&token=${key}`,
    },
    'copies the key into a header': {
      headers: (setup) => ({ ...HONEST.headers(setup), referer: setup.cardUrl }),
    },
  },
  '2.4/device-card-content': {
    'sends the plain content of the code as Card': { card: card((code) => ({ Card: code })) },
    'encodes the code twice': { card: card((code) => ({ Card: base64(base64(code)) })) },
    'cuts codes to 32 characters': {
      card: card((code) => ({ Card: base64(code.slice(0, 32)) })),
    },
    'changes codes to upper case': {
      card: card((code) => ({ Card: base64(code.toUpperCase()) })),
    },
    'leaves the end of a longer code behind a shorter one': {
      scanned: (code, before) => code + before.slice(code.length),
    },
    'types codes as a German keyboard does': {
      scanned: (code) => code.replaceAll('_', '?').replaceAll('-', 'ß'),
    },
  },
  '2.4/device-card-body': {
    'sends the content of the code as the body': { card: (code) => code },
  },
  '2.4/device-base64': {
    'leaves out the padding of Base64': {
      card: card((code) => ({ Card: base64(`${code}\n`).replace(/=+$/, '') })),
    },
    'breaks the lines of Base64': {
      card: card((code) => ({ Card: base64(code).replace(/.{76}/g, '$&\r\n') })),
    },
  },
  '2.4/device-field-types': {
    'sends every value as a string': { card: card(() => ({ Reader: '0' })) },
    'sends its serial now as text, now as a number': {
      card: card((_code, count) => ({ Serial: count % 2 === 0 ? 1234 : '1234' })),
    },
  },
  '2.4/device-serial': {
    'does not name itself': { card: card(() => ({ Serial: undefined })) },
    'has another serial in every request': {
      card: card((_code, count) => ({ Serial: `S-${count}` })),
    },
  },
  '2.4/device-reader': {
    'counts presentations in Reader': { card: card((_code, count) => ({ Reader: count })) },
    'mixes two readers up': { card: card((_code, count) => ({ Reader: count % 2 })) },
  },
  '3.2/device-posts-once': {
    'posts a card twice': { repeats: (answer, tries) => isAnswered(answer) && tries < 2 },
    'posts a card twice when its answer came in chunks': {
      repeats: (answer, tries) =>
        isAnswered(answer) && answer.headers['transfer-encoding'] === 'chunked' && tries < 2,
    },
    'posts a card once more while the answer is on its way': { hedgeMs: 0.6 * WAIT_MS },
  },
  '4.6/device-consumes': {
    'validates every card after the fifth': {
      cardUrl: ({ cardUrl }, _code, count) =>
        count > 5 ? cardUrl.replace('/consume', '/validate') : cardUrl,
    },
    'validates a card that comes again': {
      cardUrl: ({ cardUrl }, code) => {
        if (CARDS_BEFORE.has(code)) return cardUrl.replace('/consume', '/validate');
        CARDS_BEFORE.add(code);
        return cardUrl;
      },
    },
    'posts to the validate endpoint': {
      cardUrl: ({ cardUrl }) => cardUrl.replace('/consume?', '/validate?'),
    },
  },
  '4.6/device-admits-after-denial': {
    'remembers a card for good': { postsAgain: (agoMs) => agoMs === Infinity },
    'does not ask again for a card that was denied': { keepsDenied: true },
  },
  '4.5/device-heart-url': {
    'sends heartbeats to the Card URL': { heartUrl: ({ cardUrl }) => cardUrl },
  },
  '4.5/device-heartbeat-regular': {
    'sends heartbeats whenever it likes': {
      heartbeatMs: (count) => (count % 2 === 0 ? 30 : 800),
    },
    'sends one heartbeat and no more': { heartbeatMs: () => 1_000_000 },
    'sends no heartbeat for some seconds': {
      heartbeatMs: (count) => (count === 3 ? 2600 : HONEST.heartbeatMs(count)),
    },
  },
  '4.5/device-heartbeat-key': {
    'names the field of heartbeats otherwise': {
      heartbeat: () => ({ key: 'C0FFEE01', Serial: 'HONEST-0001' }),
      acceptsEcho: () => true,
    },
  },
  '4.5/device-heartbeat-serial': {
    'has another serial in heartbeats': { heartbeat: heartbeat(() => ({ Serial: 'HEART-1' })) },
  },
  '4.5/device-accepts-echo': {
    'wants another Key than it sent': { acceptsEcho: (_sent, echo) => echo === 'OK' },
  },
  '4.5/device-clock': {
    'lives in the year 2000': {
      heartbeat: heartbeat(() => ({ Now: clockDigits(new Date('2000-01-01')) })),
    },
    'repeats the time of its first heartbeat': {
      heartbeat: heartbeat((bootedAt) => ({ Now: clockDigits(bootedAt) })),
    },
  },
  '4.6/device-opens-on-grant': {
    'stays shut on (1/1)': shutOn('(1/1)'),
    'stays shut on (2/10)': shutOn('(2/10)'),
    'stays shut on (1/9999)': shutOn('(1/9999)'),
    'never opens': { decide: decide(() => ({ opens: false })) },
    'stays shut for a card that was admitted before': { refusesKnown: true },
  },
  '4.6/device-opens-on-1-only': {
    'opens on everything that begins with a 1': {
      decide: decide((_decision, { text, status }) => ({
        opens: status === 200 && String(objectIn(text)?.['AcsRes']).startsWith('1'),
      })),
    },
    'opens when a time is given': {
      decide: (answer) => {
        const members = answer.isWhole ? objectIn(answer.text) : undefined;
        return members && answer.status === 200
          ? { ...decided(members), opens: Number(members['Time']) > 0 }
          : HONEST.decide(answer);
      },
    },
    'opens on a denial for relay OUT': {
      decide: decide(({ opens, relay }) => ({ opens: opens || relay === '1' })),
    },
    'looks for the decision in an inner object, too': {
      decide: (answer) => {
        const inner = objectIn(answer.text)?.['result'];
        const opens = (inner as Record<string, unknown> | undefined)?.['AcsRes'] === '1';
        const none = { relay: '0', seconds: 1, name: '', note: 'Offline' };
        return opens ? { ...none, opens } : HONEST.decide(answer);
      },
    },
    'takes true for an admission': {
      decide: decide(({ opens }, { text }) => ({
        opens: opens || objectIn(text)?.['AcsRes'] === true,
      })),
    },
  },
  '7.3/device-shut-on-denial': {
    'opens on every HTTP 200 with a decision': { decide: opensOn(200) },
  },
  '7.1/device-shut-on-400': opening(400),
  '5/device-shut-on-401': opening(401),
  '5/device-shut-on-403': opening(403),
  '7.1/device-shut-on-404': opening(404),
  '8/device-shut-on-429': opening(429),
  '7.1/device-shut-on-500': opening(500),
  '7.1/device-shut-on-500-grant': {
    'does not look at the HTTP status': {
      decide: decide((_decision, { text }) => ({ opens: objectIn(text)?.['AcsRes'] === '1' })),
    },
    'opens on HTTP 503': { decide: opensOn(503) },
    'opens on an admission with HTTP 403': {
      decide: decide(({ opens }, { status, text }) => ({
        opens: opens || (status === 403 && objectIn(text)?.['AcsRes'] === '1'),
      })),
    },
  },
  '7.3/device-shows-note': {
    'shows a text of its own on a denial': {
      decide: decide(({ opens, note }) => ({ note: opens ? note : 'Kein Zutritt' })),
    },
  },
  '2.4/device-shows-name': {
    'shows UTF-8 as Latin-1': {
      decide: decide(({ name, note }) => ({
        name: Buffer.from(name).toString('latin1'),
        note: Buffer.from(note).toString('latin1'),
      })),
    },
    'shows eight letters of Name': { decide: decide(({ name }) => ({ name: name.slice(0, 8) })) },
  },
  '7.3/device-shows-note-of-errors': {
    'shows no text of an HTTP error': {
      decide: decide(({ note }, { status }) => ({ note: status === 200 ? note : '' })),
    },
  },
  '2.4/device-shows-full-note': {
    'shows sixteen letters of Note': {
      decide: decide(({ opens, note }) => ({ note: opens ? note.slice(0, 16) : note })),
    },
  },
  '2.4/device-relay-in': {
    'has its relays swapped': {
      decide: decide(({ relay }) => ({ relay: relay === '0' ? '1' : '0' })),
    },
  },
  '2.4/device-relay-out': {
    'always switches relay IN': { decide: decide(() => ({ relay: '0' })) },
  },
  '2.4/device-open-time': {
    'opens for a time of its own': { decide: decide(() => ({ seconds: 0.1 })) },
    'reads Time as tenths of a second': {
      decide: decide(({ seconds }) => ({ seconds: seconds / 10 })),
    },
    'reads Time as milliseconds': {
      decide: decide(({ seconds }) => ({ seconds: seconds / 1000 })),
    },
  },
  '4.3/device-malformed-answer, 4.3/device-any-json': {
    'searches the text of an answer': { decide: searched },
  },
  '7.3/device-slow-answer': {
    'takes the first piece of an answer for all of it': { readsOnce: true },
  },
  '2.4/device-escaped-text': {
    'does not decode escapes': {
      decide: decide((decision, { text }) =>
        text.includes('\\u') ? { name: '', note: '' } : decision,
      ),
    },
  },
  '4.3/device-chunked-answer': {
    'reads no chunked answer': {
      decide: (answer) =>
        answer.headers['transfer-encoding'] === undefined ? HONEST.decide(answer) : undefined,
    },
  },
  '7.3/device-no-answer': {
    'opens without an answer': { failsOpen: (answer) => !isAnswered(answer) },
    'opens when the time is over': { failsOpen: (answer) => answer === 'silence' },
  },
  '7.1/device-lost-answer': {
    'opens when a connection breaks': { failsOpen: (answer) => answer === 'broken' },
  },
  '7.3/device-unreachable': {
    'opens when the server cannot be reached': { failsOpen: (answer) => answer === 'refused' },
  },
  '7.1/device-cut-answer': {
    'opens on half of an answer': {
      failsOpen: (answer) => isAnswered(answer) && !answer.isWhole,
    },
  },
  '4.3/device-malformed-answer': {
    'opens on everything but "0"': {
      decide: (answer) => {
        const members = answer.isWhole ? objectIn(answer.text) : undefined;
        return members && answer.status === 200
          ? { ...decided(members), opens: members['AcsRes'] !== '0' }
          : HONEST.decide(answer);
      },
    },
    'takes what is in a list for the answer': {
      decide: read((value) => (Array.isArray(value) ? value[0] : value)),
    },
    'takes what is in an object for the answer': {
      decide: read((value) => (value as { data?: unknown } | null)?.data ?? value),
    },
    'takes a text in JSON for the answer': {
      decide: read((value) => (typeof value === 'string' ? JSON.parse(value) : value)),
    },
    'opens on true': { decide: read((value) => (value === true ? ADMISSION : value)) },
    'opens on a number': { decide: read((value) => (value === 1 ? ADMISSION : value)) },
    'opens on null': { decide: read((value) => value ?? ADMISSION) },
    'opens on an answer that it cannot read': {
      failsOpen: (answer) => isAnswered(answer) && answer.isWhole && answer.status !== 302,
    },
    'opens on an answer that it cannot read for a card that was admitted before': {
      opensKnown: (answer) => isAnswered(answer) && answer.isWhole && !objectIn(answer.text),
    },
  },
  '4.3/device-web-page': {
    'opens on a web page': {
      failsOpen: (answer) =>
        isAnswered(answer) && /html/.test(String(answer.headers['content-type'])),
    },
    'opens when it is redirected': {
      failsOpen: (answer) => isAnswered(answer) && answer.status === 302,
    },
  },
  '7.3/device-late-grant': {
    'waits far longer than it is set to': { waitMs: 3 * HONEST.waitMs },
  },
  '7.3/device-waits': {
    'reads its Wait Time in another unit': { waitMs: HONEST.waitMs / 2 },
  },
  '4.6/device-asks-each-time': {
    'opens for a card that was admitted before, though it is denied': { opensKnown: isAnswered },
    'opens once more for a card that was admitted a second ago': {
      opensKnown: (answer, agoMs) => isAnswered(answer) && agoMs < 600,
    },
  },
  '7.3/device-remembers-no-admission': {
    'opens offline for a card that was admitted before': {
      opensKnown: (answer) => answer === 'refused',
    },
    'opens for a card that was admitted before when the time is over': {
      opensKnown: (answer) => answer === 'silence',
    },
  },
  '5/device-redirect': {
    'follows HTTP 307 with a card': { followsRedirects: (status) => status === 307 },
    'follows redirects with its key': { followsRedirects: () => true },
  },
  '7.3/device-tells-failure': {
    'shows nothing when no answer comes': { tellsFailure: false },
  },
  '8/device-does-not-flood': {
    'posts a refused card again and again': {
      repeats: (answer, tries) => tries < 6 && (!isAnswered(answer) || answer.status >= 400),
    },
  },
  '4.5/device-heartbeat-unanswered': {
    'repeats a heartbeat every 50 ms while it is unanswered': { hurriedMs: 50 },
  },
  '4.6/device-light': {
    'shows a green light on every answer': { light: () => 'green' },
    'shows a red light on every answer': { light: () => 'red' },
    'has its lights the wrong way round': { light: (opens) => (opens ? 'red' : 'green') },
  },
  '4.5/device-comes-back, 7.3/device-tells-failure': {
    'gives up after an outage': { givesUp: true },
  },
  '4.5/device-comes-back': {
    'sends no heartbeat after one that failed': { beatsAgain: false },
  },
  '4.6/device-never-opens-by-itself': {
    'opens when a heartbeat is answered with HTTP 307': opensOnBeat(307),
    'opens when a heartbeat is answered with HTTP 401': opensOnBeat(401),
    'opens at power on': { opensAtPowerOn: true },
  },
  '4.6/device-after-power-loss': {
    'needs a button after a power loss': { afterPower: 'dead' },
  },
  '3.2/device-silent-after-power-loss': {
    'posts stored cards after a power loss': { afterPower: 'posts-stored-cards' },
  },
  '2.4/device-long-code': {
    'cuts codes to 64 characters': { scanned: (code) => code.slice(0, 64) },
    'reads no code above 100 characters': {
      scanned: (code) => (code.length > 100 ? undefined : code),
    },
  },
  '5/device-heartbeat-redirect': {
    'follows redirects of heartbeats with its key': { beatsFollowRedirects: true },
  },
  '4.3/device-malformed-answer, 7.3/device-no-answer': {
    'goes by the last answer when none can be read': {
      goesByTheLast: true,
    },
  },
  '4.3/device-any-json': {
    'wants application/json and nothing behind it': {
      decide: (answer) =>
        answer.headers['content-type'] === 'application/json' ? HONEST.decide(answer) : undefined,
    },
  },
  '2.4/device-opens-without-name': {
    'wants a Name': { decide: decide(({ opens, name }) => ({ opens: opens && name !== '' })) },
  },
  '4.6/device-opens-once': {
    'opens twice': { opensTwice: true },
  },
  '3.2/device-silent-after-outage': {
    'posts cards later that it could not post': { sendsLater: true },
  },
});
