import { inSentences, listenFailure } from '../../kit/failures.ts';
import { CheckUsageError } from '../deployment/target.ts';
import { JudgeServer, type ListenOptions } from './judge-server.ts';
import { PlayAgain, type SubjectSetup } from './observer.ts';
import { leavesOf, type Scene } from './scenes/scene.ts';
import { isSameGroup } from './scenes/scenes.ts';
import type { Session } from './session.ts';
import type { Network } from './world.ts';

/** What is played, and where. */
export interface SessionParts {
  readonly session: Session;
  readonly scenes: readonly Scene[];
  /** Whether a case wants to know what happened between the scenes. */
  readonly asksBetween: boolean;
  readonly listen: ListenOptions;
  readonly network: Network;
  /** The name by which the subject reaches this machine. */
  readonly publicHost: string;
  readonly ca: string | undefined;
  readonly signal: AbortSignal;
  /** Called after each scene. */
  readonly onProgress: () => void;
  readonly onScene: ((scene: string, number: number, count: number) => void) | undefined;
}

const KNOWN_MODELS_CALL = { paths: false, card: true, heart: true };

/** The address of a session: `http://192.168.1.20:45123`. */
export function addressOf(publicHost: string, port: number, isSecure: boolean): string {
  const host = publicHost.includes(':') ? `[${publicHost}]` : publicHost;
  return `${isSecure ? 'https' : 'http'}://${host}:${port}`;
}

/**
 * Plays the scenes that were not played yet.
 * @returns why it ended early; undefined when it is complete
 */
export async function runSession(parts: SessionParts): Promise<string | undefined> {
  const { session, listen, network, signal } = parts;
  const { record, observer } = session;
  const port = listen.port || record.port;
  const server = new JudgeServer(session, { ...listen, port }, 'server', network);
  const elsewhere = new JudgeServer(session, { ...listen, port: 0 }, 'elsewhere', network);
  await listening(server, listen.host, port);
  await elsewhere.up();
  record.port = server.port;
  session.use(server, elsewhere);
  using _delays = session.clock.watchDelays((ms) => {
    record.delays = [...(record.delays ?? []), { atMs: session.now(), ms }];
  });
  try {
    await observer.start(setupOf(parts), () => session.now());
    await playAll(parts);
    return undefined;
  } catch (error) {
    if (!signal.aborted) throw error;
    return 'the session was interrupted';
  } finally {
    record.elapsedMs = session.now();
    record.strayOpenings = [...record.strayOpenings, ...observer.strayOpenings];
    record.reopenings = [...record.reopenings, ...observer.reopenings];
    await observer.close();
    await server.down();
    await elsewhere.down();
  }
}

/** @throws CheckUsageError for a port or address that cannot be had */
async function listening(server: JudgeServer, host: string, port: number): Promise<void> {
  await server.up().catch((cause: unknown) => {
    throw new CheckUsageError(inSentences(listenFailure(cause, host, port)), { cause });
  });
}

async function playAll(parts: SessionParts): Promise<void> {
  const { session, scenes, signal, onProgress } = parts;
  const { record } = session;
  for (let index = 0; index < scenes.length; index += 1) {
    const scene = scenes[index] as Scene;
    if (record.played.includes(scene.id)) continue;
    signal.throwIfAborted();
    try {
      await play(parts, scene, index);
    } catch (error) {
      if (!(error instanceof PlayAgain)) throw error;
      const before = scenes.slice(0, index).findLast(({ id }) => record.omitted[id] === undefined);
      index = await takeBack(session, scenes, error.scene === 'before' ? (before ?? scene) : scene);
      continue;
    }
    record.played.push(scene.id);
    record.elapsedMs = session.now();
    onProgress();
  }
}

async function play(parts: SessionParts, scene: Scene, index: number): Promise<void> {
  const { session, scenes, onScene } = parts;
  const { omitted } = session.record;
  const reason = scene.skipReason?.(session);
  if (reason === undefined) {
    onScene?.(scene.id, index + 1, scenes.length);
    await scene.play(session);
  } else {
    for (const name of leavesOf(scene)) omitted[name] = reason;
  }
  const next = scenes[index + 1];
  if (!next || !isSameGroup(scene, next)) await askBetween(parts);
}

/** Forgets what a person answered about this scene and those after it. @returns the number of the one before it */
async function takeBack(session: Session, scenes: readonly Scene[], scene: Scene): Promise<number> {
  const from = scenes.indexOf(scene);
  const again = scenes.slice(from);
  session.forget(again.flatMap(leavesOf));
  const { record } = session;
  record.played = record.played.filter((id) => !again.some((one) => one.id === id));
  const left = Object.keys(record.presentations).length;
  record.betweenScenes = record.betweenScenes.filter(({ codes }) => codes <= left);
  if (!session.server.isUp) await session.server.up();
  session.answerHeartbeatsWith(undefined);
  return from - 1;
}

/** Once for each group of scenes, so that the person is not asked too often. */
async function askBetween({ session, asksBetween }: SessionParts): Promise<void> {
  const { observer, record, settings } = session;
  if (!asksBetween || !observer.openedBetween) return;
  // A door that is set to open without a server has opened correctly.
  const { down, 'power-off': off } = record.marks;
  if (settings.failMode === 'safe' && (down ?? off) !== undefined) return;
  const opened = await session.unlessStopped(observer.openedBetween());
  const codes = Object.keys(record.presentations).length;
  const first = 1 + (record.betweenScenes.at(-1)?.codes ?? 0);
  const when = `between card ${first} and card ${codes}`;
  record.betweenScenes = [...record.betweenScenes, { codes, when, opened }];
}

function setupOf({ session, publicHost, ca, listen }: SessionParts): SubjectSetup {
  const { key, port } = session.record;
  const baseUrl = addressOf(publicHost, port, listen.certificate !== undefined);
  const cardUrl = `${baseUrl}/scan/hw/consume?key=${key}`;
  const heartUrl = `${baseUrl}/scan/hw/heartbeat?key=${key}`;
  const deviceUrl = `${baseUrl}/devices/${key}`;
  const { paths, card, heart } = session.format.file?.calls ?? KNOWN_MODELS_CALL;
  return {
    baseUrl,
    key,
    cardUrl,
    heartUrl,
    ...(paths ? { deviceUrl } : {}),
    addresses: [
      ...(paths ? [['Device URL', deviceUrl] as const] : []),
      ...(card ? [['Card URL', cardUrl] as const] : []),
      ...(heart ? [['Heart URL', heartUrl] as const] : []),
    ],
    waitTimeMs: session.settings.waitTimeMs,
    ca,
  };
}
