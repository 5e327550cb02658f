import { counted, stripControls } from '../../kit/text.ts';
import { cutText } from '../facts/cut.ts';
import {
  type CaseResult,
  type CheckResult,
  type Finding,
  isOpen,
  type NotAsked,
} from '../results/result.ts';
import { headingOf, whereToRead } from '../specification/specification.ts';

const LIST_CHARACTERS_MAX = 100;
const FURTHER_MAX = 3;
const EXCHANGE_LINES_MAX = 12;
const LINE_CHARACTERS_MAX = 300;

/** What every format says of a run. Texts are single lines without keys and control characters, where nothing else is said. */
type ReportContent = ReturnType<typeof contentOf>;
export type FindingRow = ReportContent['findings'][number];
export type CaseRow = ReportContent['cases'][number];

/** Makes the content of a report, which every format renders. */
export function contentOf(result: CheckResult) {
  const { subject = 'deployment', requirements } = result;
  const cases = result.cases.map(caseRow);
  const seen = {
    [`Came after the requirement set ${requirements}: reported only`]: cases.filter(
      ({ later }) => later,
    ),
    'Observed, where the specification is silent': cases.filter(
      ({ outcome, later }) => outcome === 'observed' && !later,
    ),
  };
  return {
    /** The one sentence that matters. */
    conclusion: oneLine(conclusionOf(result, subject)),
    totals: totalsOf(result),
    findings: result.findings.map((one) => findingRow(one, result.cases)),
    /** What concerns the run as a whole. */
    remarks: remarksOf(result, subject),
    /** What was only looked at, with a heading. */
    seen: Object.entries(seen).filter(([, rows]) => rows.length > 0),
    skips: skipsOf(result.cases),
    cases,
    /** The ids of the cases, by where they were asked and where not. */
    coverage: Map.groupBy(
      [
        ...cases,
        ...result.leftOut.map(({ id, reason }) => ({ id, coverage: `not asked: ${reason}` })),
      ],
      ({ coverage }) => oneLine(coverage),
    ),
  };
}

/** Only what is there, but always what passed and failed. */
function totalsOf({ totals }: CheckResult): string {
  const { passed, failed, follows } = totals;
  const parts = [`${passed} passed`, `${failed} failed`];
  if (follows > 0) parts.push(counted(follows, 'follower'));
  for (const name of ['known', 'warned', 'skipped', 'unanswered', 'observed'] as const)
    if (totals[name] > 0) parts.push(`${totals[name]} ${name}`);
  return parts.join(', ');
}

function conclusionOf(result: CheckResult, subject: string): string {
  const { verdict, totals, stale, brokenOff, preflight } = result;
  const { failed, follows, known, warned } = totals;
  if (preflight)
    return 'No case was run: the address, the target file or the whole service is wrong.';
  const findings = `${counted(failed, 'finding')}${follows === 0 ? '' : ` (${counted(follows, 'follower')})`}`;
  const open = result.cases.filter(isOpen).length;
  const said = {
    conforms: `The ${subject} conforms`,
    deviates:
      failed > 0
        ? `The ${subject} deviates: ${findings}`
        : `The ${subject} deviates only in ${counted(known, 'way')} that the baseline lists`,
    incomplete: `The check of the ${subject} is incomplete: nothing failed`,
  };
  const isPartial = open > 0 && verdict === 'incomplete';
  const more = [
    ...(totals.unanswered > 0 ? [unansweredIn(result.cases)] : []),
    ...(isPartial ? [`${counted(open, 'case was', 'cases were')} not asked, or only partly`] : []),
    ...(brokenOff ? ['the run stopped early'] : []),
    ...(stale.length > 0 ? [`the baseline lists ${stale.join(', ')}, which it now meets`] : []),
    ...(result.chosen ? [`only ${result.chosen.cases} of ${result.chosen.of} cases asked`] : []),
    ...leftOutIn(result),
  ];
  const warnings = warned > 0 ? `, with ${counted(warned, 'warning')}` : '';
  return `${[`${said[verdict]}${warnings}`, ...more].join('; ')}.`;
}

/** What the options left out, so that nobody takes the verdict for one about all of it. */
function leftOutIn({ leftOut, subject }: CheckResult): string[] {
  if (!subject) return leftOut.length > 0 ? ['rate limits not asked'] : [];
  const byReason = Map.groupBy(leftOut, ({ reason }) => reason);
  return [...byReason].map(([reason, all]) => `${counted(all.length, 'case')} ${reason}`);
}

/** `12 cases got no answer (POST /scan/consume closed the connection 5 times)`. */
function unansweredIn(cases: readonly CaseResult[]): string {
  const all = cases.filter(({ outcome }) => outcome === 'unanswered');
  const reasons = [...Map.groupBy(all, ({ reason, observed }) => reason ?? observed ?? '')];
  const [[why] = ['']] = reasons.toSorted((a, b) => b[1].length - a[1].length);
  const ids = cutList(all.map(({ id }) => id));
  return `${counted(all.length, 'case')} got no answer: ${ids}${why === '' ? '' : ` (${why})`}`;
}

function findingRow(one: Finding, cases: readonly CaseResult[]) {
  const { outcome, known, reason, expected, observed, evidence } = one;
  const asked = cases.find(({ id }) => id === one.id);
  const followers = cases.filter(({ id }) => one.followers.includes(id)).map(withVariants);
  const follow = counted(followers.length, 'case follows', 'cases follow');
  const facts: [label: string, text: string | false | null][] = [
    ['Where', whereOf(one, asked)],
    ['Expected', expected ?? ''],
    ['Observed', observed ?? ''],
    ...furtherIn(asked).map((further): [string, string] => ['Also', further]),
    ['Cause', one.cause],
    ['Specification', specificationOf(one.section)],
    ['Followers', followers.length > 0 && `${follow} from it: ${cutList(followers)}`],
  ];
  return {
    ...one,
    isFailure: outcome === 'failed' && !known,
    /** Behind the id, where the baseline lists it. */
    known: known ? oneLine(reason ? ` (known: ${reason})` : ' (known)') : '',
    requirement: oneLine(one.requirement),
    expected: oneLine(expected ?? ''),
    observed: oneLine(observed ?? ''),
    /** Everything below the requirement but the exchange, with its label, in reading order. */
    facts: facts.flatMap(([label, text]): [string, string][] =>
      typeof text === 'string' ? [[label, oneLine(text)]] : [],
    ),
    /** Several lines, cut; empty where there is none. */
    request: cutLines(evidence?.request ?? ''),
    response: cutLines(evidence?.response ?? ''),
    reproduce: stripControls(one.reproduce ?? ''),
  };
}

/** `7.1/bad-body {array, number}`: what was shown when it deviated. */
function withVariants({ id, failedVariants, variants }: CaseResult): string {
  const isPart = failedVariants.length > 0 && variants.length > 1;
  return isPart ? `${id} {${cutList(failedVariants)}}` : id;
}

/** `hw/consume (met on validate, consume); 14 of 20 variants: empty, cut … and 12 more`; null for a case without either. */
function whereOf({ endpoints, variants }: Finding, asked: CaseResult | undefined): string | null {
  const met = (asked?.endpoints ?? []).filter((endpoint) => !endpoints.includes(endpoint));
  // where it only follows, it is not met either
  const keeps = met.length === 0 || asked?.followsFrom ? '' : ` (met on ${met.join(', ')})`;
  const all = asked?.variants.length ?? 0;
  const count = all > variants.length ? `${variants.length} of ${all}` : `${variants.length}`;
  const parts = [
    ...(endpoints.length === 0 ? [] : [`${endpoints.join(', ')}${keeps}`]),
    ...(variants.length === 0 ? [] : [`${count} variants: ${cutList(variants)}`]),
  ];
  return parts.length === 0 ? null : parts.join('; ');
}

/** What deviated otherwise than the first: `hw/consume (multi): expected …, observed …`. */
function furtherIn(asked: CaseResult | undefined): string[] {
  const texts = Map.groupBy(
    asked?.deviations ?? [],
    ({ expected, observed }) => `expected ${expected}, observed ${observed}`,
  );
  const further = [...texts].slice(1).map(([text, all]) => `${cutList(all.map(placeOf))}: ${text}`);
  const rest = further.length - FURTHER_MAX;
  return rest <= 1
    ? further
    : [...further.slice(0, FURTHER_MAX), `${rest} more in the JSON report`];
}

function placeOf({ endpoint, variant }: Pick<NotAsked, 'endpoint' | 'variant'>): string {
  return [endpoint, variant === undefined ? undefined : `(${variant})`].filter(Boolean).join(' ');
}

function remarksOf(result: CheckResult, subject: string) {
  const { preflight, stale, ownFaults = [], brokenOff, notes } = result;
  const errors = [
    ...(preflight ? [`${preflight.observed} ${preflight.advice}`] : []),
    ...(preflight?.reproduce ? [`Reproduce: ${preflight.reproduce}`] : []),
    ...stale.map(
      (entry) =>
        `${entry} is in the baseline, but the ${subject} now meets it: remove it from the baseline.`,
    ),
    ...ownFaults.map((fault) => `An error of the checker, not of the service: ${fault}`),
    ...(brokenOff ? [`Stopped early: ${brokenOff}`] : []),
  ];
  return [
    ...errors.map((text) => ({ text: oneLine(text), isError: true })),
    ...notes.map((text) => ({ text: oneLine(text), isError: false })),
  ];
}

/** Why cases, or some of their endpoints, were not asked: each reason once. */
function skipsOf(cases: readonly CaseResult[]) {
  const open = cases.flatMap((one) => one.notAsked.map((what) => ({ ...what, one })));
  return [...Map.groupBy(open, ({ reason }) => reason)].map(([reason, all]) => {
    const isOptional = all.every(({ optional }) => optional);
    const ids = [...Map.groupBy(all, ({ one }) => one)].map(([one, parts]) => {
      const places = new Set(parts.flatMap(({ endpoint }) => endpoint ?? []));
      const isWhole = one.outcome === 'skipped' || places.size === 0;
      return isWhole ? one.id : `${one.id} (${[...places].join(', ')})`;
    });
    const kind = isOptional ? 'optional case' : 'case';
    const count = counted(ids.length, `${kind} was`, `${kind}s were`);
    /** The ids with the endpoints where the others were asked. */
    return { text: oneLine(`${count} skipped: ${reason}`), isOptional, ids };
  });
}

function caseRow(one: CaseResult) {
  const { outcome, followsFrom = [], requirement, known } = one;
  const seen = one.reason ?? one.observed ?? '';
  const remarks: Partial<Record<typeof outcome, string>> = {
    passed: '',
    follows: `follows from ${followsFrom.join(', ')}`,
    unanswered: `no answer: ${seen}`,
  };
  return {
    ...one,
    isFailure: outcome === 'failed' && !known,
    requirement: oneLine(requirement),
    coverage: coverageOf(one),
    /** What was seen, or why nothing was; empty for a case that passed. */
    remark: oneLine(remarks[outcome] ?? seen),
  };
}

/** `asked on validate, consume; not on hw/consume: the target has no key "hardware"`. */
function coverageOf({ endpoints, outcome, notAsked }: CaseResult): string {
  const asked = endpoints.length === 0 ? 'asked' : `asked on ${endpoints.join(', ')}`;
  const open = [...Map.groupBy(notAsked, ({ reason }) => reason)].map(([reason, all]) => {
    const places = new Set(all.map(placeOf).filter((place) => place !== ''));
    return `not ${places.size === 0 ? 'asked' : `on ${[...places].join(', ')}`}: ${reason}`;
  });
  return oneLine([...(outcome === 'skipped' ? [] : [asked]), ...open].join('; '));
}

/** `Section 4.2: POST /scan/consume (…)`: which section it is, and where to read it. */
export function specificationOf(section: string): string {
  return `${headingOf(section)} (${whereToRead(section)})`;
}

/** As many as one line holds: `a, b … and 12 more`. */
export function cutList(items: readonly string[]): string {
  let length = 0;
  const fitting = items.filter((item, index) => {
    length += item.length + 2;
    return index === 0 || length <= LIST_CHARACTERS_MAX;
  });
  const rest = items.length - fitting.length;
  return `${fitting.join(', ')}${rest === 0 ? '' : ` … and ${rest} more`}`;
}

function cutLines(text: string): string {
  const lines = stripControls(text).split('\n');
  const rest = lines.length - EXCHANGE_LINES_MAX;
  const shown = rest > 1 ? [...lines.slice(0, EXCHANGE_LINES_MAX), `… ${rest} more lines`] : lines;
  return shown.map((line) => cutText(line, LINE_CHARACTERS_MAX)).join('\n');
}

/** Line breaks become spaces. */
export function oneLine(text: string): string {
  return stripControls(text).replace(/\s+/g, ' ').trim();
}
