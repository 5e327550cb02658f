import { sectionOf } from '../cases/case.ts';
import { Redactor } from '../requests/redact.ts';
import type { CaseResult, Evidence, Outcome } from '../results/result.ts';
import type { DeviceCase } from './cases/device-case.ts';
import { type Facts, NotShown, SubjectDeviation } from './cases/facts.ts';
import { SCENES } from './scenes/scenes.ts';
import type { SeenRequest } from './wire/seen-request.ts';

const BODY_CHARACTERS_SHOWN = 1000;
const OUTCOME_OF_DEVIATION = {
  stated: 'failed',
  observed: 'warned',
  unstated: 'observed',
} as const;

/** Judges one case from the record of the session. Throws only for a bug of this program. */
export function judgeCase(one: DeviceCase, facts: Facts): CaseResult {
  const redactor = new Redactor();
  redactor.add(facts.record.key, '$KEY');
  const reason = one.obstacle?.(facts.format) ?? omissionOf(one, facts);
  if (reason !== undefined) return skipped(one, facts, { reason, isOptional: true });
  const missing = unplayedOf(one, facts);
  if (missing !== undefined) return skipped(one, facts, { reason: missing, isOptional: false });
  try {
    const seen = one.judge(facts);
    const outcome: Outcome = one.level === 'unstated' ? 'observed' : 'passed';
    const observed = seen === undefined ? null : redactor.redact(seen);
    return { ...blank(one, facts), outcome, observed };
  } catch (error) {
    if (error instanceof NotShown)
      return skipped(one, facts, { reason: error.message, isOptional: error.isOptional });
    if (!(error instanceof SubjectDeviation)) throw error;
    return deviating(one, facts, error, redactor);
  }
}

function blank(one: DeviceCase, { format }: Facts) {
  const options =
    one.kind === 'client' ? '--client ' : format.file ? `${format.file.options} ` : '';
  return {
    id: one.id,
    section: sectionOf(one.id),
    level: one.level,
    requirement: one.requirement,
    expected: null,
    reproduce: `ticketscan check device ${options}--only ${one.id}`,
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
  facts: Facts,
  deviation: SubjectDeviation,
  redactor: Redactor,
): CaseResult {
  const { expected, observed, request, level = one.level } = deviation;
  return {
    ...blank(one, facts),
    level,
    outcome: OUTCOME_OF_DEVIATION[level],
    expected: redactor.redact(expected),
    observed: redactor.redact(observed),
    cause: one.cause,
    evidence: request === undefined ? null : evidenceOf(request, redactor),
    failedEndpoints: level === 'unstated' ? [] : [one.endpoint],
  };
}

function skipped(
  one: DeviceCase,
  facts: Facts,
  { reason, isOptional }: { readonly reason: string; readonly isOptional: boolean },
): CaseResult {
  const notAsked = { endpoint: one.endpoint, reason };
  return {
    ...blank(one, facts),
    outcome: 'skipped',
    observed: null,
    reason,
    endpoints: [],
    notAsked: [isOptional ? { ...notAsked, optional: true } : notAsked],
  };
}

/** Why a scene of the case was left out. */
function omissionOf({ scenes, inParts }: DeviceCase, facts: Facts): string | undefined {
  if (inParts && facts.played(scenes).length > 0) return undefined;
  const { omitted } = facts.record;
  return scenes.map((scene) => omitted[scene]).find((reason) => reason !== undefined);
}

/** Why a case cannot be judged yet: a scene of it was not played to its end. */
function unplayedOf({ scenes }: DeviceCase, { record }: Facts): string | undefined {
  const unplayed = SCENES.find(
    ({ id, leaves = [id] }) =>
      leaves.some((name) => scenes.includes(name)) && !record.played.includes(id),
  );
  if (unplayed === undefined) return undefined;
  return `the session ended before its scene "${unplayed.id}" was over`;
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
