import { type Answer, pathAndQuery, type SeenRequest } from '../http.ts';
import type { Session } from '../session.ts';
import { type Scene, type TurnRow, take } from './scene.ts';

const HEARTBEATS = 4;
/** How many intervals may pass until a heartbeat comes again. */
const INTERVALS_MAX = 3;
/** For how many intervals the server leaves heartbeats without an answer. */
const UNANSWERED_INTERVALS = 2;
/** The number of intervals until the next heartbeat at the latest, with its tolerance. */
const HEARTBEAT_DUE = 1.5;
/** The time without power. */
const OFF_MS = 300;
/** The times in which the server leaves heartbeats without an answer, by what came before: between these two marks. */
export const UNANSWERED = {
  heartbeats: ['unanswered', 'answered'],
  outage: ['unanswered-after-outage', 'answered-after-outage'],
  power: ['unanswered-after-power-loss', 'answered-after-power-loss'],
} as const;
const TOLD = ['door', 'told'] as const;
const NO_HEARTBEAT = 'this model sends no regular heartbeat';
const UNREACHABLE: TurnRow = { holdMs: ({ reactionMs }) => reactionMs };

/** Scenes about contact, power and where the key goes. */
export const CONTACT_SCENES: readonly Scene[] = [
  {
    id: 'heartbeats',
    kind: 'device',
    skipReason: ({ format }) => (format.features.heartbeat ? undefined : NO_HEARTBEAT),
    async play(session) {
      session.mark('heartbeats');
      const from = session.now();
      const { heartbeatMs, reactionMs } = session.settings;
      const msMax = (HEARTBEATS + 1) * heartbeatMs * 1.5 + reactionMs;
      nothingToDo(session, 'heartbeats are counted, for', msMax);
      await session.until(() => session.heartbeatsSince(from).length > HEARTBEATS, msMax);
      session.mark('heartbeats-end');
    },
  },
  {
    id: 'heartbeats-unanswered',
    kind: 'device',
    skipReason: ({ format }) => (format.features.heartbeat ? undefined : NO_HEARTBEAT),
    play: (session) => leaveUnanswered(session, 'heartbeats'),
  },
  {
    id: 'unreachable',
    after: ['granted'],
    leaves: ['unreachable', 'known-unreachable', 'back'],
    async play(session) {
      session.mark('down');
      await session.server.down();
      await take(session, 'unreachable', 'The server cannot be reached.', {
        ...UNREACHABLE,
        wants: [...TOLD, 'online'],
      });
      const known = 'The card of the first step once more. The server cannot be reached.';
      await take(session, 'known-unreachable', known, { ...UNREACHABLE, again: 'granted' });
      if (session.format.features.heartbeat) await refuseHeartbeat(session);
      await session.server.up();
      session.mark('up');
      await leaveUnanswered(session, 'outage');
      await untilBack(session);
      session.mark('back');
      await take(session, 'back', 'The server can be reached again. It admits.');
    },
  },
  {
    id: 'power',
    leaves: ['power', 'before-power-loss', 'after-power-loss'],
    kind: 'device',
    skipReason: ({ observer }) =>
      observer.hasPower ? undefined : 'the power of the device cannot be cut from here',
    async play(session) {
      const { bootMs, heartbeatMs, reactionMs } = session.settings;
      const hint = 'The answer is lost. Then the power is cut.';
      await take(session, 'before-power-loss', hint, { delivery: { kind: 'lost' } });
      await session.power(false);
      await session.pause(OFF_MS);
      await session.power(true);
      const from = session.record.marks['power-on'] ?? 0;
      const isUp = (): boolean => session.heartbeatsSince(from).length > 0;
      if (session.format.features.heartbeat) await session.until(isUp, bootMs + 2 * heartbeatMs);
      else await session.pause(bootMs);
      await leaveUnanswered(session, 'power');
      await session.pause(reactionMs);
      session.mark('power-settled');
      await take(session, 'after-power-loss', 'The power is back. The server admits.');
    },
  },
  {
    id: 'redirect',
    leaves: ['redirect', 'redirect-kept'],
    async play(session) {
      // Most HTTP libraries follow a 302 by themselves; fewer repeat a body after a 307.
      await take(session, 'redirect', 'The server sends the request to another address.', {
        wants: TOLD,
        answer: (_good, { request }) => redirected(session, request, 302),
      });
      const kept = 'The server sends the request to another address once more, in another way.';
      await take(session, 'redirect-kept', kept, {
        wants: TOLD,
        answer: (_good, { request }) => redirected(session, request, 307),
      });
      if (!session.format.features.heartbeat) return;
      await answerHeartbeat(session, 'redirected', (request) => redirected(session, request, 307));
      session.mark('heartbeat-redirected');
      await answerHeartbeat(session, 'refused', () => REFUSED);
    },
  },
  {
    id: 'certificate',
    skipReason: ({ otherCertificate }) =>
      otherCertificate ? undefined : 'the session does not use HTTPS',
    async play(session) {
      const { certificate, otherCertificate } = session;
      if (!certificate || !otherCertificate) return;
      session.server.present(otherCertificate, false);
      try {
        const hint = 'The server shows a certificate that nobody can trust.';
        await take(session, 'certificate', hint, { wants: TOLD });
      } finally {
        session.server.present(certificate, true);
      }
    },
  },
];

function nothingToDo({ observer }: Session, what: string, msMax: number): void {
  observer.tell(`Nothing to do: ${what} up to ${Math.ceil(msMax / 1000)} s.`);
}

/** Gives no heartbeat an answer for some intervals, and notes when that began and ended. */
async function leaveUnanswered(session: Session, after: keyof typeof UNANSWERED): Promise<void> {
  if (!session.format.features.heartbeat) return;
  const ms = UNANSWERED_INTERVALS * session.settings.heartbeatMs;
  const [from, to] = UNANSWERED[after];
  nothingToDo(session, 'heartbeats are not answered, for', ms);
  session.answerHeartbeatsWith(() => NOT_ANSWERED);
  session.mark(from);
  await session.pause(ms);
  session.mark(to);
  session.answerHeartbeatsWith(undefined);
  session.server.endScene();
}

/** Waits until a heartbeat was due since the server went down, so that one failed. */
async function refuseHeartbeat(session: Session): Promise<void> {
  const downMs = HEARTBEAT_DUE * session.settings.heartbeatMs;
  nothingToDo(session, 'the server stays away for', downMs);
  await session.pause(Math.max(0, (session.record.marks['down'] ?? 0) + downMs - session.now()));
}

/** Gives the device the time to notice that the server is back. */
async function untilBack(session: Session): Promise<void> {
  const { heartbeatMs, reactionMs } = session.settings;
  session.observer.tell('The server can be reached again. Nothing to do until the next step.');
  const from = session.now();
  const isBack = (): boolean => session.heartbeatsSince(from).length > 0;
  if (session.format.features.heartbeat)
    await session.until(isBack, INTERVALS_MAX * heartbeatMs + reactionMs);
  await session.pause(reactionMs);
}

const NOT_ANSWERED: Answer = { status: 200, headers: {}, body: '', delivery: { kind: 'never' } };

const REFUSED: Answer = {
  status: 401,
  headers: { 'content-type': 'application/json' },
  body: '{"message":"Forbidden"}',
};

/** Answers the next heartbeat in another way, and gives the device the time to react. */
async function answerHeartbeat(
  session: Session,
  what: string,
  answer: (request: SeenRequest) => Answer,
): Promise<void> {
  const { heartbeatMs, reactionMs } = session.settings;
  const from = session.now();
  const isSent = (): boolean => session.heartbeatsSince(from).length > 0;
  session.answerHeartbeatsWith(answer);
  nothingToDo(session, `the next heartbeat is ${what}; this takes`, HEARTBEAT_DUE * heartbeatMs);
  if (await session.until(isSent, HEARTBEAT_DUE * heartbeatMs)) await session.pause(reactionMs);
  session.answerHeartbeatsWith(undefined);
}

function redirected(session: Session, request: SeenRequest, status: 302 | 307): Answer {
  const host = request.headers.find(([name]) => name.toLowerCase() === 'host')?.[1] ?? '127.0.0.1';
  const name = host.replace(/:\d+$/, '');
  const scheme = request.secure ? 'https' : 'http';
  const location = `${scheme}://${name}:${session.elsewherePort}${pathAndQuery(request.target)}`;
  return { status, headers: { location }, body: '' };
}
