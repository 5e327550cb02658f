import type { Level } from '../../cases/level.ts';
import type { SubjectKind } from '../formats/formats.ts';
import type { Observation } from '../session.ts';
import type { DeviceCase } from './device-case.ts';
import { type Facts, NotShown, SubjectDeviation } from './facts.ts';

/** @throws SubjectDeviation when the door stayed shut */
export function mustOpen(facts: Facts, scene: string): void {
  if (facts.opened(scene)) return;
  throw new SubjectDeviation('the door opens', 'it stayed shut', facts.posts(scene).at(-1));
}

/** @throws SubjectDeviation when the door opened */
export function mustStayShut(facts: Facts, scene: string, isPosted = true): void {
  const opened = isPosted ? facts.opened(scene) : facts.sawOpening(scene);
  if (!opened) return;
  throw new SubjectDeviation('the door stays shut', 'it opened', facts.posts(scene).at(-1));
}

/** Without a decision the door does what the device is set to: section 7.3 leaves it to the device's own configuration. */
export function mustFollowFailMode(facts: Facts, scene: string, isPosted = true): void {
  if (facts.settings.failMode === 'secure') {
    mustStayShut(facts, scene, isPosted);
    return;
  }
  if (isPosted ? facts.opened(scene) : facts.sawOpening(scene)) return;
  const observed =
    'it stayed shut, although it is set to open without an answer (--fail-mode safe)';
  throw new SubjectDeviation('the door opens', observed, facts.posts(scene).at(-1));
}

/**
 * A door that opens by itself lets people in without an admission. Not judged: a door that opens once more for the person whom it just
 * let in, and one that is set to open while there is no server, or no power.
 * @throws SubjectDeviation when the door opened although nothing was presented
 */
export function mustNotOpenByItself(facts: Facts): void {
  const { strayOpenings = [], betweenScenes = [], observations } = facts.record;
  const told = betweenScenes.find(({ opened }) => opened === true);
  if (told) throw new SubjectDeviation('the door stays shut', `it opened by itself, ${told.when}`);
  const stray = [...strayOpenings, ...earlyOpenings(facts)].find(
    (atMs) => !isExplained(facts, atMs),
  );
  if (stray === undefined) return;
  const before = lastBefore(observations, stray);
  const when = before
    ? `${((stray - before[1].presentedAtMs) / 1000).toFixed(1)} s after the presentation "${before[0]}"`
    : 'before anything was presented';
  throw new SubjectDeviation('the door stays shut', `it opened by itself, ${when}`);
}

/** Openings while the server still holds its answer back: no answer caused them. */
function earlyOpenings({ record, settings }: Facts): number[] {
  const late = record.observations['late'];
  if (!late || settings.failMode === 'safe') return [];
  const { openedAtMs = [] } = late.sight;
  return openedAtMs.slice(0, 1).filter((atMs) => atMs < late.presentedAtMs + settings.waitTimeMs);
}

/** The presentation at that time, with its name. */
export function lastBefore(
  observations: Facts['record']['observations'],
  ms: number,
): [string, Observation] | undefined {
  return Object.entries(observations)
    .filter(([, { presentedAtMs }]) => presentedAtMs <= ms)
    .sort(([, a], [, b]) => b.presentedAtMs - a.presentedAtMs)[0];
}

function isExplained({ record, settings }: Facts, atMs: number): boolean {
  const { marks, observations } = record;
  const isWithin = (from: string, to: string): boolean =>
    atMs >= (marks[from] ?? Infinity) && atMs <= (marks[to] ?? Infinity);
  if (settings.failMode === 'safe' && (isWithin('down', 'up') || isWithin('power-off', 'power-on')))
    return true;
  // Only for the person of that presentation: after the next one, that person is gone.
  const [, latest] = lastBefore(observations, atMs) ?? [];
  const openMs = 1000 * Math.max(...settings.openSeconds);
  return latest?.sight.opened === true && atMs <= latest.presentedAtMs + openMs;
}

/**
 * An answer that is no decision admits nobody. Section 7.3 leaves only a missing answer to the device, but a device that is set to open
 * may take an answer that it cannot read for a missing one.
 * @throws NotShown where both are right
 */
function mustAdmitNobody(facts: Facts, scene: string): void {
  if (facts.settings.failMode === 'safe')
    throw new NotShown('with --fail-mode safe the door may open or stay shut here', true);
  mustStayShut(facts, scene);
}

/** A device file may say another status than the one of the requirement. */
function statusesIn(facts: Facts, scenes: readonly string[]): string | undefined {
  if (!facts.format.file) return undefined;
  const statuses = scenes.flatMap((scene) => facts.posts(scene).at(-1)?.answer?.status ?? []);
  return `answered with HTTP ${[...new Set(statuses)].join(', ')}, as the device file says`;
}

interface DoorCase {
  readonly id: string;
  readonly kind: SubjectKind;
  readonly level?: Level;
  readonly scenes: readonly string[];
  readonly requirement: string;
  readonly cause: string;
  readonly obstacle?: DeviceCase['obstacle'];
}

function endpointOf(kind: SubjectKind): DeviceCase['endpoint'] {
  return kind === 'device' ? 'hw/consume' : 'consume';
}

/** A case that wants the door to open in each of its scenes. */
export function opens({ level = 'stated', obstacle, ...one }: DoorCase): DeviceCase {
  return {
    ...one,
    ...(obstacle && { obstacle }),
    level,
    endpoint: endpointOf(one.kind),
    judge: (facts) => {
      for (const scene of one.scenes) mustOpen(facts, scene);
    },
  };
}

/** Admissions of a first use, a second, the only one, and one of a permanent card; one of them of a card that was admitted before. */
export const ADMITTED = ['granted', 'again', 'admitted-later', 'after-closed'] as const;

/** As `opens`; other cases judge whether the card is posted again. */
export function opensEachTime(one: DoorCase): DeviceCase {
  return {
    ...opens(one),
    judge: (facts) => {
      const [first = '', ...later] = one.scenes;
      mustOpen(facts, first);
      for (const scene of later) if (facts.posts(scene).length > 0) mustOpen(facts, scene);
    },
  };
}

/**
 * As `opens`, where a card that is not posted at all is the deviation that is looked for.
 * @param one `opening` names the scenes in which the door opens, where they are not all
 */
export function stillOpens({
  opening,
  ...one
}: DoorCase & { readonly opening?: readonly string[] }): DeviceCase {
  return {
    ...opens(one),
    judge: (facts) => {
      for (const scene of opening ?? one.scenes) {
        if (facts.posts(scene).length === 0)
          throw new SubjectDeviation('a request for the next card', 'none arrived');
        mustOpen(facts, scene);
      }
    },
  };
}

/** A case that wants the door to stay shut in each of its scenes. */
export function staysShut({ level = 'stated', ...one }: Omit<DoorCase, 'obstacle'>): DeviceCase {
  return {
    ...one,
    level,
    endpoint: endpointOf(one.kind),
    judge: (facts) => {
      for (const scene of one.scenes) mustStayShut(facts, scene);
      return statusesIn(facts, one.scenes);
    },
  };
}

/** A case that wants the server to admit a card each time, and the device to remember no earlier admission. */
export function asksEachTime(one: Omit<DoorCase, 'obstacle'>): DeviceCase {
  return {
    ...one,
    level: 'stated',
    endpoint: endpointOf(one.kind),
    judge(facts) {
      // A gate that remembers a card may open without a request.
      for (const scene of one.scenes) mustStayShut(facts, scene, false);
      for (const scene of one.scenes) if (scene !== 'known-unreachable') facts.posted(scene);
    },
  };
}

/** As `asksEachTime`, without an answer; a door that is set to open then is not judged. */
export function remembersNoAdmission(one: Omit<DoorCase, 'obstacle'>): DeviceCase {
  const { judge, ...rest } = asksEachTime(one);
  return {
    ...rest,
    judge(facts) {
      if (facts.settings.failMode === 'safe' && one.kind === 'device')
        throw new NotShown('the door opens without an answer', true);
      return judge(facts);
    },
  };
}

/** A case that wants the door to follow its own setting when there is no decision. */
export function followsFailMode({
  level = 'stated',
  ...one
}: Omit<DoorCase, 'obstacle'>): DeviceCase {
  return {
    ...one,
    level,
    endpoint: endpointOf(one.kind),
    judge: (facts) => {
      for (const scene of one.scenes) mustFollowFailMode(facts, scene);
    },
  };
}

/** A case on answers that are no decision: the door stays shut, unless it is set to open without one. */
export function admitsNobody({ level = 'stated', ...one }: Omit<DoorCase, 'obstacle'>): DeviceCase {
  return {
    ...one,
    level,
    inParts: true,
    endpoint: endpointOf(one.kind),
    judge: (facts) => {
      for (const scene of facts.played(one.scenes)) mustAdmitNobody(facts, scene);
    },
  };
}
