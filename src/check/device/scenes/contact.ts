import type { Stage } from '../stage.ts';
import type { Answer } from '../wire/answer.ts';
import { pathAndQuery, type SeenRequest } from '../wire/seen-request.ts';
import type { Scene } from './scene.ts';
import { take } from './turn.ts';

const HEARTBEATS = 4;
/** How many intervals may pass until a heartbeat comes again. */
const INTERVALS_MAX = 3;
/** The number of intervals until the next heartbeat at the latest, with its tolerance. */
const HEARTBEAT_DUE = 1.5;
/** The time without power. */
const OFF_MS = 300;

const noHeartbeat = 'this model sends no regular heartbeat';

/** Scenes about contact, power and where the key goes. */
export const CONTACT_SCENES: readonly Scene[] = [
  {
    id: 'heartbeats',
    kind: 'device',
    obstacle: ({ features }) => (features.heartbeat ? undefined : noHeartbeat),
    async play(stage) {
      stage.mark('heartbeats');
      const from = stage.now();
      const { heartbeatMs, reactionMs } = stage.settings;
      const msMax = (HEARTBEATS + 1) * heartbeatMs * 1.5 + reactionMs;
      stage.tell(`Nothing to do: heartbeats are counted, for up to ${Math.ceil(msMax / 1000)} s.`);
      await stage.until(() => stage.heartbeatsSince(from).length > HEARTBEATS, msMax);
      stage.mark('heartbeats-end');
    },
  },
  {
    id: 'unreachable',
    after: ['granted'],
    leaves: ['unreachable', 'known-unreachable', 'back'],
    async play(stage) {
      const { settings } = stage;
      stage.mark('down');
      await stage.server.down();
      await take(stage, {
        id: 'unreachable',
        hint: 'The server cannot be reached.',
        wants: ['door', 'told', 'online'],
        atLeastMs: ({ reactionMs }) => reactionMs,
      });
      await take(stage, {
        id: 'known-unreachable',
        again: 'granted',
        hint: 'The card of the first step once more. The server cannot be reached.',
        atLeastMs: ({ reactionMs }) => reactionMs,
      });
      if (stage.format.features.heartbeat) await refuseHeartbeat(stage);
      await stage.server.up();
      stage.mark('up');
      const back = (): boolean => stage.heartbeatsSince(stage.record.marks['up'] ?? 0).length > 0;
      stage.tell('The server can be reached again. Nothing to do until the next step.');
      if (stage.format.features.heartbeat)
        await stage.until(back, INTERVALS_MAX * settings.heartbeatMs + settings.reactionMs);
      await stage.pause(settings.reactionMs);
      stage.mark('back');
      await take(stage, { id: 'back', hint: 'The server can be reached again. It admits.' });
    },
  },
  {
    id: 'power',
    leaves: ['power', 'before-power-loss', 'after-power-loss'],
    kind: 'device',
    obstacle: (_format, stage) =>
      stage.hasPower ? undefined : 'the power of the device cannot be cut from here',
    async play(stage) {
      const { settings } = stage;
      await take(stage, {
        id: 'before-power-loss',
        hint: 'The answer is lost. Then the power is cut.',
        answer: (good) => ({ ...good, delivery: { kind: 'lost' } }),
      });
      await stage.power(false);
      await stage.pause(OFF_MS);
      await stage.power(true);
      const from = stage.record.marks['power-on'] ?? 0;
      const isUp = (): boolean => stage.heartbeatsSince(from).length > 0;
      if (stage.format.features.heartbeat)
        await stage.until(isUp, settings.bootMs + 2 * settings.heartbeatMs);
      else await stage.pause(settings.bootMs);
      await stage.pause(settings.reactionMs);
      stage.mark('power-settled');
      await take(stage, { id: 'after-power-loss', hint: 'The power is back. The server admits.' });
    },
  },
  {
    id: 'redirect',
    leaves: ['redirect', 'redirect-kept'],
    async play(stage) {
      // Most HTTP libraries follow a 302 by themselves; fewer repeat a body after a 307.
      await take(stage, {
        id: 'redirect',
        hint: 'The server sends the request to another address.',
        wants: ['door', 'told'],
        answer: (_good, { request }) => redirected(stage, request, 302),
      });
      await take(stage, {
        id: 'redirect-kept',
        hint: 'The server sends the request to another address once more, in another way.',
        wants: ['door', 'told'],
        answer: (_good, { request }) => redirected(stage, request, 307),
      });
      if (!stage.format.features.heartbeat) return;
      await answerHeartbeat(stage, 'redirected', (request) => redirected(stage, request, 307));
      stage.mark('heartbeat-redirected');
      await answerHeartbeat(stage, 'refused', () => REFUSED);
    },
  },
  {
    id: 'certificate',
    obstacle: (_format, stage) =>
      stage.otherCertificate ? undefined : 'the session does not use HTTPS',
    async play(stage) {
      const { certificate, otherCertificate } = stage;
      if (!certificate || !otherCertificate) return;
      stage.server.present(otherCertificate, false);
      try {
        await take(stage, {
          id: 'certificate',
          hint: 'The server shows a certificate that nobody can trust.',
          wants: ['door', 'told'],
        });
      } finally {
        stage.server.present(certificate, true);
      }
    },
  },
];

/** Waits until a heartbeat was due since the server went down, so that one failed. */
async function refuseHeartbeat(stage: Stage): Promise<void> {
  const { heartbeatMs } = stage.settings;
  const downMs = HEARTBEAT_DUE * heartbeatMs;
  stage.tell(`Nothing to do: the server stays away for up to ${Math.ceil(downMs / 1000)} s.`);
  await stage.pause(Math.max(0, (stage.record.marks['down'] ?? 0) + downMs - stage.now()));
}

const REFUSED: Answer = {
  status: 401,
  headers: { 'content-type': 'application/json' },
  body: '{"message":"Forbidden"}',
};

/** Answers the next heartbeat in another way, and gives the device the time to react. */
async function answerHeartbeat(
  stage: Stage,
  what: string,
  answer: (request: SeenRequest) => Answer,
): Promise<void> {
  const { heartbeatMs, reactionMs } = stage.settings;
  const from = stage.now();
  stage.answerHeartbeatsWith(answer);
  stage.tell(
    `Nothing to do: a heartbeat is ${what}, within ${Math.ceil((HEARTBEAT_DUE * heartbeatMs) / 1000)} s.`,
  );
  const isSent = await stage.until(
    () => stage.heartbeatsSince(from).length > 0,
    HEARTBEAT_DUE * heartbeatMs,
  );
  if (isSent) await stage.pause(reactionMs);
  stage.answerHeartbeatsWith(undefined);
}

function redirected(stage: Stage, request: SeenRequest, status: 302 | 307): Answer {
  const host = request.headers.find(([name]) => name.toLowerCase() === 'host')?.[1] ?? '127.0.0.1';
  const name = host.replace(/:\d+$/, '');
  const scheme = request.secure ? 'https' : 'http';
  const location = `${scheme}://${name}:${stage.elsewherePort}${pathAndQuery(request.target)}`;
  return { status, headers: { location }, body: '' };
}
