import { inSentences, listenFailure } from '../../kit/failures.ts';
import { CheckUsageError } from '../target/target.ts';
import type { Scene } from './scenes/scene.ts';
import { isSameGroup } from './scenes/scenes.ts';
import type { Stage } from './stage.ts';
import type { SubjectSetup } from './subject.ts';
import { JudgeServer, type ListenOptions } from './wire/judge-server.ts';
import type { Witness } from './witness.ts';

/** What a session needs besides its stage. */
export interface SessionParts {
  readonly stage: Stage;
  readonly witness: Witness;
  readonly scenes: readonly Scene[];
  /** Whether a case wants to know what happened between the scenes. */
  readonly asksBetween: boolean;
  readonly listen: ListenOptions;
  /** The name by which the subject reaches this machine. */
  readonly publicHost: string;
  readonly ca: string | undefined;
  readonly signal: AbortSignal;
  /** Called after each scene. */
  readonly onProgress: () => void;
  readonly onScene: ((scene: string, number: number, count: number) => void) | undefined;
}

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
  const { stage, witness, listen, signal } = parts;
  const handler = {
    answer: (request: Parameters<Stage['answer']>[0]) => stage.answer(request),
    now: () => stage.now(),
    broken: (message: string) => stage.broken(message),
  };
  const port = listen.port || stage.record.port;
  const server = new JudgeServer(handler, { ...listen, port }, 'server');
  const elsewhere = new JudgeServer(handler, { ...listen, port: 0 }, 'elsewhere');
  await listening(server, listen.host, port);
  await elsewhere.up();
  stage.record.port = server.port;
  stage.use(server, elsewhere);
  try {
    await witness.start(setupOf(parts), () => stage.now());
    await playAll(parts);
    return undefined;
  } catch (error) {
    if (!signal.aborted) throw error;
    return 'the session was interrupted';
  } finally {
    stage.record.elapsedMs = stage.now();
    const { strayOpenings = [] } = stage.record;
    stage.record.strayOpenings = [...strayOpenings, ...witness.strayOpenings];
    stage.record.reopenings = [...(stage.record.reopenings ?? []), ...witness.reopenings];
    await witness.close();
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
  const { stage, scenes, signal, onProgress, onScene } = parts;
  for (const [index, scene] of scenes.entries()) {
    if (stage.record.played.includes(scene.id)) continue;
    signal.throwIfAborted();
    const obstacle = scene.obstacle?.(stage.format, stage);
    if (obstacle === undefined) {
      onScene?.(scene.id, index + 1, scenes.length);
      await scene.play(stage);
    } else {
      for (const name of scene.leaves ?? [scene.id]) stage.record.omitted[name] = obstacle;
    }
    const next = scenes[index + 1];
    if (!next || !isSameGroup(scene, next)) await askBetween(parts, scene);
    stage.record.played.push(scene.id);
    stage.record.elapsedMs = stage.now();
    onProgress();
  }
}

const KNOWN_MODELS_CALL = { paths: false, card: true, heart: true };
/** Once for each group of scenes, so that the person is not asked too often. */
async function askBetween(
  { stage, witness, asksBetween }: SessionParts,
  { id }: Scene,
): Promise<void> {
  if (!asksBetween || !witness.openedBetween) return;
  // A door that is set to open without a server has opened correctly.
  const { down, 'power-off': off } = stage.record.marks;
  if (stage.settings.failMode === 'safe' && (down ?? off) !== undefined) return;
  const opened = await stage.unlessStopped(witness.openedBetween());
  stage.record.betweenScenes ??= [];
  stage.record.betweenScenes.push({ when: `in the scenes up to "${id}"`, opened });
}

function setupOf({ stage, publicHost, ca, listen }: SessionParts): SubjectSetup {
  const { key, port } = stage.record;
  const baseUrl = addressOf(publicHost, port, listen.certificate !== undefined);
  const cardUrl = `${baseUrl}/scan/hw/consume?key=${key}`;
  const heartUrl = `${baseUrl}/scan/hw/heartbeat?key=${key}`;
  const deviceUrl = `${baseUrl}/devices/${key}`;
  const { paths, card, heart } = stage.format.file?.calls ?? KNOWN_MODELS_CALL;
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
    waitTimeMs: stage.settings.waitTimeMs,
    ca,
  };
}
