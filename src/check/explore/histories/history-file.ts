import { isRecord } from '../../facts/json.ts';
import { CheckUsageError, KEY_NAMES, TICKET_KINDS } from '../../target/target.ts';
import {
  ACTIONS,
  type Card,
  CONNECTIONS,
  FORGERIES,
  type Group,
  type History,
  REQUESTS_TOGETHER_MAX,
  requestsOf,
  type Step,
  WAYS,
} from './history.ts';

const FORMAT = 'ticketscan-history';
const VERSION = 1;
const PAUSE_MS_MAX = 60_000;
const TIMES_MAX = 10_000;

/** A saved history: keys and tickets by their place in a target, no secret. */
export interface SavedHistory {
  readonly format: typeof FORMAT;
  readonly version: typeof VERSION;
  readonly seed: number;
  readonly rule: string;
  readonly section: string;
  readonly expected: string;
  readonly observed: string;
  /** The history in plain English; not read again. */
  readonly story: readonly string[];
  /** True when each run of it showed the fault; then one try is enough. */
  readonly isCertain: boolean;
  /** False when the fault never came back: then no run of it proves that the fault is gone. */
  readonly isReproduced: boolean;
  /** True when a rate limit refused a request of it; then a run without such a refusal proves nothing. */
  readonly isLimited: boolean;
  readonly groups: History;
}

/** What goes into the file. */
export function savedHistory(facts: Omit<SavedHistory, 'format' | 'version'>): SavedHistory {
  return { format: FORMAT, version: VERSION, ...facts };
}

/** Reads a saved history. @throws CheckUsageError naming what is wrong */
export function readSavedHistory(value: unknown): SavedHistory {
  if (!isRecord(value) || value['format'] !== FORMAT)
    throw new CheckUsageError('The file is not a history that `check explore` saved.');
  if (value['version'] !== VERSION)
    throw new CheckUsageError(
      `The file has version ${value['version']}; this program reads ${VERSION}.`,
    );
  const { groups } = value;
  if (!Array.isArray(groups) || groups.length === 0) throw wrong('groups', 'a list');
  return {
    format: FORMAT,
    version: VERSION,
    seed: Number(value['seed'] ?? 0),
    rule: String(value['rule'] ?? ''),
    section: String(value['section'] ?? ''),
    expected: String(value['expected'] ?? ''),
    observed: String(value['observed'] ?? ''),
    story: [],
    isCertain: value['isCertain'] === true,
    isReproduced: value['isReproduced'] !== false,
    isLimited: value['isLimited'] === true,
    groups: groups.map((group, i) => readGroup(group, `groups[${i}]`)),
  };
}

function readGroup(value: unknown, where: string): Group {
  if (!isRecord(value)) throw wrong(where, 'an object');
  const { steps, pauseMs } = value;
  if (!Array.isArray(steps) || steps.length === 0) throw wrong(`${where}.steps`, 'a list');
  const group: Group = {
    steps: steps.map((step, i) => readStep(step, `${where}.steps[${i}]`)),
    way: oneOf(value['way'], WAYS, `${where}.way`),
    over: oneOf(value['over'], CONNECTIONS, `${where}.over`),
    ...(pauseMs === undefined ? {} : { pauseMs: count(pauseMs, PAUSE_MS_MAX, `${where}.pauseMs`) }),
  };
  if (group.way !== 'in-turn' && requestsOf(group) > REQUESTS_TOGETHER_MAX)
    throw wrong(where, `at most ${REQUESTS_TOGETHER_MAX} requests at once`);
  return group;
}

function readStep(value: unknown, where: string): Step {
  if (!isRecord(value)) throw wrong(where, 'an object');
  return {
    action: oneOf(value['action'], ACTIONS, `${where}.action`),
    key: oneOf(value['key'], [...KEY_NAMES, 'missing', 'unknown'] as const, `${where}.key`),
    ...(value['card'] === undefined ? {} : { card: readCard(value['card'], `${where}.card`) }),
    times: count(value['times'], TIMES_MAX, `${where}.times`),
    ...(value['abandoned'] === true ? { abandoned: true } : {}),
    ...(value['retry'] === true ? { retry: true } : {}),
  };
}

function readCard(value: unknown, where: string): Card {
  if (!isRecord(value) || !isRecord(value['ticket'])) throw wrong(where, 'an object with a ticket');
  const { kind, place } = value['ticket'];
  const ticket = {
    kind: oneOf(kind, TICKET_KINDS, `${where}.ticket.kind`),
    place: count(place, TIMES_MAX, `${where}.ticket.place`, 0),
  };
  if (value['forged'] === undefined) return { ticket };
  return { ticket, forged: oneOf(value['forged'], FORGERIES, `${where}.forged`) };
}

function oneOf<Text extends string>(value: unknown, texts: readonly Text[], where: string): Text {
  const found = texts.find((text) => text === value);
  if (found === undefined) throw wrong(where, `one of ${texts.join(', ')}`);
  return found;
}

function count(value: unknown, max: number, where: string, min = 1): number {
  if (Number.isInteger(value) && Number(value) >= min && Number(value) <= max) return Number(value);
  throw wrong(where, `a whole number from ${min} to ${max}`);
}

function wrong(where: string, wanted: string): CheckUsageError {
  return new CheckUsageError(`"${where}" of the saved history must be ${wanted}.`);
}
