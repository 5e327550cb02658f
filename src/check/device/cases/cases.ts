import { type CheckCase, sectionOf } from '../../cases/case.ts';
import type { CaseDescription } from '../../cases/cases.ts';
import { type Selection, selectCases } from '../../planning/select.ts';
import { Redactor } from '../../requests/redact.ts';
import type { CaseResult, Evidence } from '../../results/result.ts';
import type { SeenRequest } from '../http.ts';
import { leavesOf } from '../scenes/scene.ts';
import { SCENES } from '../scenes/scenes.ts';
import type { SubjectKind } from '../session-record.ts';
import { type DeviceCase, OPENS, SHUT } from './device-case.ts';
import { DOOR_CASES } from './door-cases.ts';
import { HEARTBEAT_CASES } from './heartbeat-cases.ts';
import { LIGHT_CASES } from './light-cases.ts';
import { REACTION_CASES } from './reaction-cases.ts';
import { REPEAT_CASES } from './repeat-cases.ts';
import { REQUEST_CASES } from './request-cases.ts';
import { Failed, type SessionResults, Skipped } from './session-results.ts';

/** Every case on devices and on client software, in the order of the specification. */
export const DEVICE_CASES: readonly DeviceCase[] = [
  ...REQUEST_CASES,
  ...DOOR_CASES,
  ...REACTION_CASES,
  ...LIGHT_CASES,
  ...REPEAT_CASES,
  ...HEARTBEAT_CASES,
].toSorted((a, b) => sectionOf(a.id).localeCompare(sectionOf(b.id), 'en', { numeric: true }));

function casesOf(kind: SubjectKind): DeviceCase[] {
  return DEVICE_CASES.filter((one) => one.kind === kind);
}

/** Describes every case on devices, or on client software, as `listCases` describes those on servers. */
export function listDeviceCases(kind: SubjectKind): CaseDescription[] {
  return casesOf(kind).map(({ id, level, says, endpoint }) => ({
    id,
    section: sectionOf(id),
    level,
    requirement: says,
    endpoints: [{ endpoint, level }],
    keys: [],
    tickets: {},
    samples: [],
    hooks: [],
    variants: [],
    rateLimits: false,
  }));
}

/** The cases of a kind that a selection takes. @throws CheckUsageError when a pattern matches nothing */
export function selectDeviceCases(kind: SubjectKind, selection: Selection): DeviceCase[] {
  const ids = new Set(selectCases(asCheckCases(kind), selection).map(({ id }) => id));
  return casesOf(kind).filter(({ id }) => ids.has(id));
}

/** The same cases in the form of those on servers, for selections and baselines. */
export function asCheckCases(kind: SubjectKind): CheckCase[] {
  return casesOf(kind).map(({ id, level, says, endpoint }) => ({
    id,
    level,
    requirement: says,
    endpoint,
    run: async () => {},
  }));
}

const BODY_CHARACTERS_SHOWN = 1000;
const OUTCOMES = { stated: 'failed', observed: 'warned', unstated: 'observed' } as const;

/** Judges cases from what a session left. Throws only for a bug of this program. */
export function judgeCases(cases: readonly DeviceCase[], session: SessionResults): CaseResult[] {
  const redactor = new Redactor();
  redactor.add(session.record.key, '$KEY');
  const results = new Map(cases.map((one) => [one.id, judged(one, session, redactor)]));
  return cases.map((one) => {
    const result = results.get(one.id) as CaseResult;
    const root =
      isBad(result) && (silenceOf(one, session, results) ?? rootOf(one, result, cases, results));
    return root ? { ...result, outcome: 'follows', followsFrom: [root] } : result;
  });
}

function isBad({ outcome }: CaseResult): boolean {
  return outcome === 'failed' || outcome === 'warned';
}

/** Where no card came at all, this is why whatever wants one fails; a door that opens is a fault of its own. */
function silenceOf(
  { id, kind }: DeviceCase,
  { cards, record }: SessionResults,
  results: ReadonlyMap<string, CaseResult>,
): string | undefined {
  const root = kind === 'client' ? '4.6/client-sends-ticket' : '4.3/device-posts-card';
  const opens = results.get(id)?.expected === SHUT;
  const isOnHeartbeats = id.startsWith('4.5/') && record.requests.length > 0;
  if (cards.length > 0 || id === root || opens || isOnHeartbeats) return undefined;
  return results.get(root)?.outcome === 'failed' ? root : undefined;
}

/** The case that this one only follows: it builds on it, or shows the same cause. What fails never follows what only warns. */
function rootOf(
  one: DeviceCase,
  result: CaseResult,
  cases: readonly DeviceCase[],
  results: ReadonlyMap<string, CaseResult>,
): string | undefined {
  const explains = (id: string): boolean => {
    const other = results.get(id);
    return !!other && (other.outcome === 'failed' || other.outcome === result.outcome);
  };
  const base = one.buildsOn.find(explains);
  if (base !== undefined) {
    const below = cases.find(({ id }) => id === base) as DeviceCase;
    return rootOf(below, results.get(base) as CaseResult, cases, results) ?? base;
  }
  if (result.cause === null || result.cause === one.cause) return undefined;
  const alike = cases.find(
    ({ id, buildsOn }) =>
      results.get(id)?.cause === result.cause && explains(id) && !buildsOn.some(explains),
  );
  return alike === undefined || alike.id === one.id ? undefined : alike.id;
}

function judged(one: DeviceCase, session: SessionResults, redactor: Redactor): CaseResult {
  const omission = one.skipReason?.(session.format) ?? omissionOf(one, session);
  if (omission !== undefined) return skipped(one, session, new Skipped(omission, true));
  try {
    mustBePlayed(one, session);
    const seen = one.judge(session);
    const outcome = one.level === 'unstated' ? 'observed' : 'passed';
    return { ...blank(one, session), outcome, observed: seen ? redactor.redact(seen) : null };
  } catch (error) {
    if (error instanceof Skipped) return skipped(one, session, error);
    if (!(error instanceof Failed)) throw error;
    return busyInstead(one, session, error) ?? deviating(one, session, error, redactor);
  }
}

/** A judge that was late itself by so much of the Wait Time accuses nobody of being late. */
const DELAY_SHARE = 0.2;
const DELAY_MS_MAX = 200;

/** No result where this machine was too busy for the scenes of the case; undefined where that has no part in what was seen. */
function busyInstead(
  one: DeviceCase,
  session: SessionResults,
  { expected }: Failed,
): CaseResult | undefined {
  if (!one.isTimed && !expected.startsWith(OPENS)) return undefined;
  const ms = session.delayIn(session.played(one.scenes));
  if (ms < Math.max(DELAY_MS_MAX, DELAY_SHARE * session.settings.waitTimeMs)) return undefined;
  const reason = `this machine was busy: the judge itself stood still for ${Math.round(ms)} ms, and may have seen its own delay; play it again on a quiet one`;
  return { ...blank(one, session), outcome: 'unanswered', observed: null, reason };
}

function blank(one: DeviceCase, { format }: SessionResults) {
  const file = format.file ? `${format.file.options} ` : '';
  return {
    id: one.id,
    section: sectionOf(one.id),
    level: one.level,
    requirement: one.says,
    expected: null,
    reproduce: `ticketscan check device ${one.kind === 'client' ? '--client ' : file}--only ${one.id}`,
    durationMs: 0,
    cause: null,
    reason: null,
    evidence: null,
    endpoints: [one.endpoint],
    failedEndpoints: [],
    variants: [],
    failedVariants: [],
    notAsked: [],
  } as const;
}

function deviating(
  one: DeviceCase,
  session: SessionResults,
  { expected, observed, shown }: Failed,
  redactor: Redactor,
): CaseResult {
  const { request, cause = one.cause, level = one.level, isDangerous = one.isDangerous } = shown;
  return {
    ...blank(one, session),
    level,
    outcome: OUTCOMES[level],
    expected: redactor.redact(expected),
    observed: redactor.redact(observed),
    cause: cause === undefined ? null : redactor.redact(cause),
    evidence: request === undefined ? null : evidenceOf(request, redactor),
    failedEndpoints: level === 'unstated' ? [] : [one.endpoint],
    ...(isDangerous || expected === SHUT ? { isDangerous: true } : {}),
  };
}

function skipped(one: DeviceCase, session: SessionResults, why: Skipped): CaseResult {
  const notAsked = { endpoint: one.endpoint, reason: why.message };
  return {
    ...blank(one, session),
    outcome: 'skipped',
    observed: null,
    reason: why.message,
    endpoints: [],
    notAsked: [why.isOptional ? { ...notAsked, optional: true } : notAsked],
  };
}

/** Why all scenes of the case were left out. */
function omissionOf({ scenes }: DeviceCase, session: SessionResults): string | undefined {
  const { omitted } = session.record;
  return session.played(scenes).length > 0
    ? undefined
    : scenes.map((scene) => omitted[scene]).find((reason) => reason !== undefined);
}

/** @throws Skipped when a scene of the case was not played to its end */
function mustBePlayed({ scenes }: DeviceCase, { record }: SessionResults): void {
  const isMissing = (name: string) => scenes.includes(name) && record.omitted[name] === undefined;
  const unplayed = SCENES.find(
    (scene) => leavesOf(scene).some(isMissing) && !record.played.includes(scene.id),
  );
  if (unplayed) throw new Skipped(`the session ended before its scene "${unplayed.id}" was over`);
}

function evidenceOf(
  { method, target, headers, body, answer }: SeenRequest,
  redactor: Redactor,
): Evidence {
  const lines = headers.map(([name, value]) => `${name}: ${value}`);
  const request = [`${method} ${target}`, ...lines, '', cut(body)].join('\n').trim();
  const response =
    answer === undefined
      ? 'no answer'
      : [`HTTP ${answer.status} (${answer.how})`, '', cut(answer.body)].join('\n').trim();
  return { request: redactor.redact(request), response: redactor.redact(response) };
}

function cut(text: string): string {
  if (text.length <= BODY_CHARACTERS_SHOWN) return text;
  return `${text.slice(0, BODY_CHARACTERS_SHOWN)}… (${text.length} characters)`;
}
