import { isRecord, parsedJson } from '../../facts/json.ts';
import {
  type Alteration,
  DENIALS,
  type DenialKind,
  type Format,
  NO_REQUEST,
} from '../formats/format.ts';
import { type Answer, pathOf, type SeenRequest } from '../http.ts';
import type { Shown } from '../observer.ts';
import type { Session } from '../session.ts';
import { CONTACT_SCENES } from './contact.ts';
import { OTHER_JSON } from './other-json.ts';
import {
  AGAIN,
  FULL_NAME,
  FULL_NOTE,
  granted,
  KNOWN_CARD,
  MAY_ADMIT,
  NO_JSON,
  type Scene,
  scene,
  type TurnRow,
  take,
} from './scene.ts';

/** How much later than the Wait Time a late answer comes, and when in it a patient device still gets one. */
const LATE = 1.3;
const IN_TIME = 0.7;
/** The number of Wait Times after which a missing answer is final. */
const NO_ANSWER_WAITS = 1.2;
const LIMITED_TIMES = 3;
/** From the end of a connection until every device has heard of it. */
const CLOSED_MS = 200;
/** Section 2.4: the uses of a permanent card. */
const PERMANENT_USES = 9999;

const TOLD = ['door', 'told'] as const;
const LOST = { kind: 'lost' } as const;
const FULL = { name: FULL_NAME, note: FULL_NOTE } as const;
/** What is shown of the longest texts. */
const DISPLAY = {
  grant: FULL,
  wants: ['door', 'display'],
  text: ({ format }: Session) => fullText(format),
} as const;
const NEVER: TurnRow = {
  delivery: { kind: 'never' },
  holdMs: ({ waitTimeMs }) => NO_ANSWER_WAITS * waitTimeMs,
};

const NO_RELAY = 'this model is not told which relay to switch, nor for how long';
const NO_HALF = 'the device file does not say that the body of an admission matters';

/** The longest texts that the answer to a grant may have. */
function fullText({ shown, features }: Format): Shown {
  const { name, note } = shown(FULL);
  return { name: features.name ? name : '', note: features.note ? note : '' };
}

/** An admission at this use, with the number of allowed uses. */
function ofUses(used: number, allowed: number): TurnRow {
  return { grant: { used, allowed, note: `Ticket gültig (${used}/${allowed})` } };
}

/** A JSON answer with other members; one that is undefined is removed. A plain text is replaced by an unknown one. */
function withMembers(answer: Answer, members: Readonly<Record<string, unknown>>): Answer {
  const before = parsedJson(answer.body);
  return isRecord(before)
    ? { ...answer, body: JSON.stringify({ ...before, ...members }) }
    : { ...answer, body: 'code=0002' };
}

/** A new text of the same JSON: other order, other spaces, every letter beyond ASCII escaped, one member more, and a charset. */
function rewritten(answer: Answer): Answer {
  const before = parsedJson(answer.body);
  if (!isRecord(before)) return answer;
  const members = Object.entries(before).reverse();
  const text = JSON.stringify(Object.fromEntries([['Extra', 'x'], ...members]), null, 2);
  const body = text.replaceAll(
    /[^\n\x20-\x7e]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return { ...answer, headers: { 'content-type': 'application/json; charset=utf-8' }, body };
}

/**
 * Section 2.3 and 2.4: what most tickets are. A single one, at its only use, valid between two times and without a holder; a device gets
 * no Name.
 */
function ofPlainTicket(answer: Answer, request: SeenRequest): Answer {
  const before = parsedJson(answer.body);
  if (isRecord(before) && 'AcsRes' in before) return withMembers(answer, { Name: undefined });
  if (!isRecord(before) || !('valid' in before)) return answer;
  return withMembers(answer, {
    ...singleUse(pathOf(request).endsWith('/consume') ? 1 : 0),
    holder: undefined,
    validFrom: '2020-01-01T00:00:00.000Z',
    validUntil: '2099-01-01T00:00:00.000Z',
  });
}

function singleUse(used: 0 | 1) {
  return { ticketType: 'single', usesAllowed: 1, usesConsumed: used, usesRemaining: 1 - used };
}

function timed(id: string, relay: 0 | 1): Scene {
  return {
    id,
    kind: 'device',
    skipReason: ({ format: { features } }) =>
      features.relay || features.seconds ? undefined : NO_RELAY,
    async play(session) {
      const { features } = session.format;
      const seconds = session.settings.openSeconds[relay];
      const hint = `The server admits; relay ${relay === 0 ? 'IN' : 'OUT'} for ${seconds} seconds.`;
      await take(session, id, hint, {
        grant: { relay, seconds },
        wants: [
          ...(['door', 'once'] as const),
          ...(features.relay ? (['relay'] as const) : []),
          ...(features.seconds ? (['seconds'] as const) : []),
        ],
      });
    },
  };
}

/** A long code, and the end of the connection after its answer. */
const CLOSED: Scene = {
  id: 'closed',
  leaves: ['closed', 'after-closed'],
  async play(session) {
    const hint =
      'A long code. The server admits without a name, and closes the connection afterwards.';
    await take(session, 'closed', hint, {
      isLong: true,
      answer: (good, { request }) => ofPlainTicket(good, request),
      delivery: { kind: 'closed' },
    });
    session.server.breakConnections();
    // A card that is posted while the connection ends may be lost with every device.
    await session.pause(CLOSED_MS);
    const after = 'The server had closed the connection. It admits.';
    await take(session, 'after-closed', after, ofUses(1, PERMANENT_USES));
  },
};

/** Scenes in which the ticket is admitted. */
const GRANT_SCENES: readonly Scene[] = [
  scene('granted', 'The server admits the ticket.', {
    ...DISPLAY,
    wants: ['door', 'once', 'display'],
  }),
  scene('again', 'The same card once more. The server admits it.', {
    again: 'granted',
    ...ofUses(2, 10),
  }),
  timed('relay-in', 0),
  timed('relay-out', 1),
  scene('slow', 'The answer comes slowly, in pieces.', {
    delivery: ({ waitTimeMs }) => ({ kind: 'slow', ms: waitTimeMs / 3 }),
  }),
  scene('chunked', 'The server admits, with a chunked answer.', { delivery: { kind: 'chunked' } }),
  scene('rewritten', 'The server admits, with the members of its answer in another order.', {
    ...DISPLAY,
    skipReason: (session) =>
      isRecord(parsedJson(granted(session, NO_REQUEST).body)) ? undefined : NO_JSON,
    answer: rewritten,
  }),
  CLOSED,
];

const REASONS: Readonly<Partial<Record<DenialKind, string>>> = {
  exhausted: 'the ticket is used up',
  forged: 'the signature is wrong',
  expired: 'the ticket has expired',
  notYetValid: 'the ticket is not valid yet',
  unknown: 'no such ticket',
  outOfScope: 'another event',
};

function hintOf(kind: DenialKind, status: number): string {
  const reason = REASONS[kind];
  if (reason !== undefined)
    return `The server denies${status === 200 ? '' : ` with HTTP ${status}`}: ${reason}.`;
  if (kind === 'refusedKey') return `The server refuses the key with HTTP ${status}.`;
  return `The server answers HTTP ${status}${kind === 'unreadable' ? '' : ' to each request'}.`;
}

/** The scene of a denial. */
export function denialScene(kind: DenialKind): string {
  return `denied-${kind}`;
}

/** A device may open on an error for a card that it knows, and for no other. */
function denial(kind: DenialKind): Scene {
  const id = denialScene(kind);
  return {
    id,
    async play(session) {
      const { format } = session;
      const note = format.textOf(kind);
      const { status } = format.denial(kind, NO_REQUEST);
      const isKnown = status !== 200 && session.record.presentations[KNOWN_CARD] !== undefined;
      await take(session, id, `${isKnown ? `${AGAIN} ` : ''}${hintOf(kind, status)}`, {
        ...(isKnown ? { again: KNOWN_CARD } : {}),
        wants: note === '' ? [...TOLD, 'light'] : ['door', 'display', 'light'],
        text: () => ({ name: '', note }),
        answer: (_good, { request }) => withRetryAfter(format.denial(kind, request)),
      });
    },
  };
}

function withRetryAfter(answer: Answer): Answer {
  if (answer.status !== 429) return answer;
  return { ...answer, headers: { ...answer.headers, 'retry-after': '1' } };
}

/** An admission of a known card, with one change that makes it invalid. A correct device may open on some, where its file does not say. */
function changed(
  id: string,
  hint: string,
  change: (answer: Answer) => Answer,
  mayAdmit = (session: Session, good: Answer) => session.format.mayAdmit(change(good)),
): Scene {
  return scene(id, `${AGAIN} ${hint}`, {
    again: KNOWN_CARD,
    wants: TOLD,
    answer: change,
    skipReason: (session) =>
      mayAdmit(session, granted(session, NO_REQUEST)) ? MAY_ADMIT : undefined,
  });
}

/** An admission with another decision. */
function altered(id: string, hint: string, alteration: Alteration, relay: 0 | 1 = 0): Scene {
  return scene(id, hint, {
    grant: { relay },
    wants: TOLD,
    skipReason: (session) =>
      session.format.altered(granted(session, NO_REQUEST), alteration) ? undefined : MAY_ADMIT,
    answer: (good, { format, request }) =>
      format.altered(good, alteration) ?? format.denial('exhausted', request),
  });
}

/** Another status in front of an admission; only a file can say that its admissions have an error's. */
function withStatus(id: string, status: number): Scene {
  return changed(
    id,
    `The server answers HTTP ${status} with an admission in it.`,
    (answer) => ({ ...answer, status }),
    (_session, good) => Math.floor(good.status / 100) === Math.floor(status / 100),
  );
}

function page(status: number, body: string) {
  return (): Answer => ({ status, headers: { 'content-type': 'text/html' }, body });
}

const PAGE = '<!doctype html><title>1</title><p>AcsRes "1", "valid": true, granted, code 0000';
const GATEWAY_PAGE = '<html><body><h1>502 Bad Gateway</h1></body></html>';

/** Scenes in which the door must stay shut because of what the answer says. */
const REFUSAL_SCENES: readonly Scene[] = [
  ...DENIALS.map(denial),
  scene('admitted-later', 'The card that was not valid yet, once more. The server admits it now.', {
    again: denialScene('notYetValid'),
    ...ofUses(1, 1),
  }),
  scene('known-denied', `${AGAIN} The server denies it now.`, {
    again: KNOWN_CARD,
    answer: (_good, { format, request }) => format.denial('exhausted', request),
  }),
  altered(
    'denied-with-time',
    'The server denies, in an answer that names a relay and a time.',
    'denied',
    1,
  ),
  altered('no-decision', 'The answer lacks the decision.', 'missing'),
  altered('odd-decision', 'The answer has a decision that nobody knows.', 'odd'),
  altered('longer-decision', 'The decision begins like an admission and is none.', 'longer'),
  altered('nested-decision', 'The decision is a list.', 'nested'),
  altered('true-decision', 'The decision is true or "yes".', 'true'),
  withStatus('failed-grant', 500),
  withStatus('unavailable-grant', 503),
  withStatus('refused-grant', 403),
  changed('web-page', 'A web page comes in place of an answer.', page(200, PAGE)),
  changed('gateway', 'A proxy answers HTTP 502 with a web page.', page(502, GATEWAY_PAGE)),
  changed('malformed', 'The JSON of the answer is broken.', (answer) => ({
    ...answer,
    body: answer.body.startsWith('{') ? answer.body.slice(0, -2) : 'code=',
  })),
  changed('empty', 'The answer is empty.', (answer) => ({ ...answer, body: '' })),
];

function error(status: number, message: string, headers = {}): Answer {
  return {
    status,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ message }),
  };
}

/** The bare 429: no Retry-After, so that the client has to choose its own time. */
const LIMITED = error(429, 'Too Many Requests');
const LIMITED_FOR_2_S = error(429, 'Too Many Requests', { 'retry-after': '2' });
const FAILED = error(500, 'Internal Server Error');

/** Scenes in which answers are late, broken or missing. */
const FAILURE_SCENES: readonly Scene[] = [
  scene('in-time', 'The answer comes shortly before the Wait Time ends.', {
    kind: 'device',
    delivery: ({ waitTimeMs }) => ({ kind: 'late', ms: waitTimeMs * IN_TIME }),
  }),
  scene('late', 'An admission comes after the Wait Time.', {
    wants: TOLD,
    delivery: ({ waitTimeMs }) => ({ kind: 'late', ms: waitTimeMs * LATE }),
    holdMs: ({ waitTimeMs, reactionMs }) => waitTimeMs * LATE + reactionMs,
  }),
  scene('no-answer', 'The server never answers.', { wants: TOLD, ...NEVER }),
  scene('known-no-answer', `${AGAIN} The server never answers.`, { again: KNOWN_CARD, ...NEVER }),
  scene('cut', 'The answer ends in the middle.', {
    wants: TOLD,
    delivery: { kind: 'cut' },
    skipReason: (session) => {
      const good = granted(session, NO_REQUEST);
      const body = good.body.slice(0, good.body.length / 2);
      return session.format.mayAdmit({ ...good, body }) ? NO_HALF : undefined;
    },
  }),
  scene('lost', 'The connection breaks before the answer.', { wants: TOLD, delivery: LOST }),
  scene('lost-once', 'The first answer is lost; a second request is answered.', {
    wants: TOLD,
    answer(good, { request, index }) {
      if (index === 0) return { ...good, delivery: LOST };
      // It kept its use when the consume was lost: a validate shows that a second consume is safe.
      return pathOf(request) === '/scan/validate' ? withMembers(good, singleUse(0)) : good;
    },
  }),
  scene('used-meanwhile', 'The ticket is used up, but the answer to the first consume is lost.', {
    kind: 'client',
    wants: TOLD,
    answer(good, { session, format, request }) {
      const earlier = session.consumesOfTurn - (pathOf(request).endsWith('/consume') ? 1 : 0);
      if (earlier > 0) return format.denial('exhausted', request);
      return session.consumesOfTurn > 0 ? { ...good, delivery: LOST } : good;
    },
  }),
  scene('failed-once', 'HTTP 500 first; a second request is answered.', {
    wants: TOLD,
    answer: (good, { index }) => (index === 0 ? FAILED : good),
  }),
  scene('limited-once', 'HTTP 429 first, with Retry-After: 2.', {
    kind: 'client',
    wants: TOLD,
    answer: (good, { index }) => (index === 0 ? LIMITED_FOR_2_S : good),
  }),
  scene('limited-bare', `HTTP 429 ${LIMITED_TIMES} times without Retry-After, then an admission.`, {
    kind: 'client',
    wants: TOLD,
    answer: (good, { index }) => (index < LIMITED_TIMES ? LIMITED : good),
  }),
];

/**
 * Scenes without a decision, each right after an admission: a gate that goes by the last answer that it could read opens then. And a card
 * is denied right after it was admitted: a gate that lets a card in once more for some seconds opens then.
 */
const RIGHT_AFTER: Readonly<Record<string, string>> = {
  granted: 'cut',
  again: 'known-denied',
  slow: 'malformed',
  chunked: 'empty',
  rewritten: 'web-page',
  closed: 'lost',
  'admitted-later': 'no-answer',
};

const IN_GROUPS = [
  GRANT_SCENES,
  [...REFUSAL_SCENES, ...OTHER_JSON],
  FAILURE_SCENES,
  CONTACT_SCENES,
];
const MOVED = new Set(Object.values(RIGHT_AFTER));
const ALL = IN_GROUPS.flat();

/** Every scene, in groups: a person is asked after each what happened in between. */
const SCENE_GROUPS: readonly (readonly Scene[])[] = IN_GROUPS.map((group) =>
  group
    .filter(({ id }) => !MOVED.has(id))
    .flatMap((one) => [one, ...ALL.filter(({ id }) => id === RIGHT_AFTER[one.id])]),
);

/** Every scene, in the order in which they are played: the first shows which model it is. */
export const SCENES: readonly Scene[] = SCENE_GROUPS.flat();

/** Whether two scenes are of the same group. */
export function isSameGroup(one: Scene, other: Scene): boolean {
  return SCENE_GROUPS.some((group) => group.includes(one) && group.includes(other));
}

/** Forty seconds with a Wait Time of a second: what shows the dangerous faults. */
export const FAST_SCENES: readonly string[] = [
  ...['granted', 'cut', 'again', 'known-denied', 'closed', 'lost'],
  ...['denied-exhausted', 'denied-outOfScope', 'denied-refusedKey', 'denied-limited'],
  ...['denied-failed', 'denied-with-time', 'no-decision', 'odd-decision', 'nested-decision'],
  ...['failed-grant', 'refused-grant', 'malformed', 'no-answer'],
];
