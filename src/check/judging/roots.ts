import type { Case } from '../cases/case.ts';
import { type Exchange, endpointAt, type RequestSpec } from '../facts/exchange.ts';
import type { Deviation } from '../facts/failures.ts';
import type { AnswerRule } from '../law/answer-rule.ts';
import type { ExpectedAnswers } from '../law/expected.ts';
import { type Symptom, servedKind } from '../law/symptom-kinds.ts';
import { isDeviation } from '../results/result.ts';
import { isBesideOthers, SHARED } from './circumstances.ts';
import type { CellResult, JudgedCase } from './combine.ts';
import { symptomOf } from './symptom.ts';
import { NOT_COUNTED } from './uses-symptom.ts';

/** A question that failed or warned. */
interface Bad {
  readonly cell: CellResult;
  readonly one: Case<never>;
  readonly symptom: Symptom;
  /** Of cases by one symptom, the first by these is what shows it most directly. */
  readonly rank: Rank;
}

interface Rank {
  readonly isWarning: boolean;
  /** It compares answers that other cases asked for, and says less about what to look at. */
  readonly isCatchAll: boolean;
  readonly requests: number;
  /** In the order of the specification. */
  readonly position: number;
}

/** Finds what is a cause and what only follows in what was asked of a server. A symptom there is what is wrong with an answer. */
export function withRoots(
  judged: readonly JudgedCase[],
  answers: ExpectedAnswers,
  rules: readonly AnswerRule[],
): JudgedCase[] {
  return withFollowers(judged, symptomFor(answers, rules), earlierIn(answers, rules));
}

/**
 * Where the law does not know what is wrong with an answer, those before it may tell: of the question itself, of the samples that it judges, and
 * what other questions of its case were answered about the same ticket.
 */
function earlierIn(answers: ExpectedAnswers, rules: readonly AnswerRule[]): EarlierIn {
  const bySender = Map.groupBy(answers.exchanges, ({ caseId }) => caseId);
  return ({ cell, exchange, fields }) => {
    if (exchange && symptomOf(exchange, fields, answers, rules)) return [];
    const senders = [cell.name, ...(cell.samples ?? [])];
    const ofCase = ({ caseId }: Exchange) => caseOf(caseId) === caseOf(cell.name);
    return [
      ...senders.flatMap((sender) => bySender.get(sender) ?? []),
      ...(exchange ? answers.about(exchange).filter(ofCase) : []),
    ]
      .filter((one) => exchange === undefined || one.startedMs < exchange.startedMs)
      .flatMap((one) => symptomOf(one, fields, answers, rules)?.name ?? []);
  };
}

/** The id of the case of a question, by the name of that. */
function caseOf(name: string): string {
  return name.split('@')[0] ?? name;
}

/** The names of what is wrong with the answers that a question got before the one by which it failed. */
type EarlierIn = (cell: CellResult) => readonly string[];
type SymptomFor = (cell: CellResult, one: Case<never>) => Symptom | undefined;

function symptomFor(answers: ExpectedAnswers, rules: readonly AnswerRule[]): SymptomFor {
  return ({ silent, observed = '', exchange, fields }, { id, cause }) => {
    if (silent) return silence(silent, observed);
    const found = exchange && symptomOf(exchange, fields, answers, rules);
    if (found || !exchange || !isBesideOthers(exchange, answers)) return found;
    return { ...ownSymptom(id, cause), partOf: [SHARED] };
  };
}

/** What only the case knows. */
function ownSymptom(id: string, cause: string | undefined): Symptom {
  return { name: `only ${id}`, cause };
}

/**
 * Finds what is a cause and what only follows. Deviations by the same symptom have one root: the case that states what is broken, or
 * the one that shows the symptom with the fewest requests. A case that builds on another one follows from it, down to the last root.
 * What fails never follows from what only warns.
 * @param symptomFor what is wrong, named so that the same fault has the same name in every case; undefined where only the case knows
 * @param earlierIn where only the case knows, names of what was wrong before
 */
export function withFollowers(
  judged: readonly JudgedCase[],
  symptomFor: SymptomFor,
  earlierIn: EarlierIn = () => [],
): JudgedCase[] {
  const bad = joined(badIn(judged, symptomFor));
  const roots = rootsAmong(bad, earlierIn);
  const symptoms = new Map(bad.map(({ cell, symptom }) => [cell, symptom]));
  return judged.map((one) => ({
    ...one,
    cells: one.cells.map((cell) => {
      const root = roots.get(cell);
      if (root === undefined) return cell;
      if (root !== one.one.id) return { ...cell, outcome: 'follows' as const, followsFrom: root };
      const { cause, isDangerous } = symptoms.get(cell) ?? {};
      return {
        ...cell,
        ...(isDangerous ? { isDangerous } : {}),
        cause: cell.cause ?? cause,
      };
    }),
  }));
}

/** What failed or warned, with the symptom that it shows. */
function badIn(judged: readonly JudgedCase[], symptomFor: SymptomFor): Bad[] {
  return judged.flatMap(({ one, cells }, position) =>
    cells.filter(isDeviation).map(
      (cell): Bad => ({
        cell,
        one,
        symptom: withCauseOf(one, symptomFor(cell, one)),
        rank: {
          isWarning: cell.outcome === 'warned',
          isCatchAll: isCatchAll(one),
          requests: cell.requests,
          position,
        },
      }),
    ),
  );
}

/** What a case says of its own sentence is the cause where an answer breaks a rule and tells none. */
function withCauseOf({ id, cause }: Case<never>, symptom: Symptom | undefined): Symptom {
  if (!symptom) return ownSymptom(id, cause);
  const isOfRule = symptom.root !== undefined && symptom.cause === undefined;
  return isOfRule ? { ...symptom, cause } : symptom;
}

/** True for a case that compares every answer of a run. */
export function isCatchAll({ phase }: Case<never>): boolean {
  return phase === 'every-answer';
}

/**
 * Says what the cases up to now have shown.
 * @param judged what became of them
 * @returns whether a deviation shows a symptom that one of these shows as well, or an answer by which one of them failed
 */
export function explainedBy(
  judged: readonly JudgedCase[],
  answers: ExpectedAnswers,
  rules: readonly AnswerRule[],
): (deviation: Deviation) => boolean {
  const bad = badIn(judged, symptomFor(answers, rules));
  const names = new Set(bad.map(({ symptom }) => symptom.name));
  const shown = new Set(bad.map(({ cell }) => cell.exchange));
  return ({ exchange, facts: { fields } }) => {
    if (!exchange || shown.has(exchange)) return true;
    const symptom = symptomOf(exchange, fields, answers, rules);
    return symptom !== undefined && names.has(symptom.name);
  };
}

/** @returns for each of these the case that shows what is wrong; its own for a root */
function rootsAmong(bad: readonly Bad[], earlierIn: EarlierIn): Map<CellResult, string> {
  const roots = new Map<CellResult, string>();
  for (const alike of Map.groupBy(bad, ({ symptom }) => symptom.name).values())
    for (const [cell, root] of rootsOf(alike)) roots.set(cell, root);
  followCompared(bad, roots);
  followEarlier(bad, roots, earlierIn);
  followDeclared(bad, roots);
  toTheRoots(roots, bad);
  return roots;
}

/** The same, with the name and the place of the whole for each symptom that is a part of one that shows here. */
function joined(bad: readonly Bad[]): Bad[] {
  const wholes = bad.map(({ symptom }) => symptom).filter(({ isWhole }) => isWhole);
  const wholeOf = ({ partOf = [], endpoint }: Symptom): Symptom | undefined => {
    const isThere = (other: Symptom) => other.endpoint === undefined || other.endpoint === endpoint;
    const [whole] = partOf.flatMap((name) =>
      wholes.filter((other) => other.name === name && isThere(other)),
    );
    return whole && (wholeOf(whole) ?? whole);
  };
  return bad.map((one) => {
    const whole = wholeOf(one.symptom);
    if (!whole) return one;
    const { endpoint: _, ...symptom } = one.symptom;
    const place = whole.endpoint === undefined ? {} : { endpoint: whole.endpoint };
    const cause = whole.isCauseOfParts ? whole.cause : symptom.cause;
    return { ...one, symptom: { ...symptom, name: whole.name, cause, ...place } };
  });
}

/** Requests that an endpoint never answers have one root there. */
function silence(request: RequestSpec, observed: string): Symptom {
  const endpoint = endpointAt(request) ?? 'validate';
  return {
    name: 'no answer',
    endpoint,
    kinds: [servedKind(endpoint)],
    ...(observed.includes('connection was closed')
      ? { cause: 'The server closes the connection: look into its log for an unhandled exception.' }
      : {}),
  };
}

/** The root of each of these, which show the same symptom: one for all endpoints where one case saw it on all. */
function rootsOf(alike: readonly Bad[]): [CellResult, string][] {
  const places = Map.groupBy(alike, ({ symptom }) => symptom.endpoint);
  const seenOn = (id: string) =>
    [...places.values()].filter((there) => there.some(({ one }) => one.id === id)).length;
  const wide = new Map(alike.map(({ one }) => [one.id, seenOn(one.id)]));
  return [...places.values()].flatMap((there) => {
    const itself = there.filter(({ symptom }) => !symptom.isConsequence);
    const grave = gravestOf(itself.length > 0 ? itself : there);
    const ids = new Set(grave.map(({ one }) => one.id));
    const home = homeOf(grave);
    // what takes another of these for granted is not what shows it best
    const direct = grave.filter(({ one }) => !one.buildsOn?.some((id) => ids.has(id)));
    const [first] = (direct.length > 0 ? direct : grave).toSorted(
      (a, b) =>
        Number(a.rank.isWarning) - Number(b.rank.isWarning) ||
        Number(a.rank.isCatchAll) - Number(b.rank.isCatchAll) ||
        Math.sign(a.rank.requests - 1) - Math.sign(b.rank.requests - 1) ||
        (wide.get(b.one.id) ?? 0) - (wide.get(a.one.id) ?? 0) ||
        a.rank.requests - b.rank.requests ||
        a.rank.position - b.rank.position,
    );
    const root = home ?? first?.one.id ?? '';
    return there.map(({ cell }): [CellResult, string] => [cell, root]);
  });
}

/** The case that states what the symptom of these is about: the first of them in the order of the specification. */
function homeOf(there: readonly Bad[]): string | undefined {
  const whole = there.find(({ symptom }) => symptom.isWhole) ?? there[0];
  const { root, kinds = [] } = whole?.symptom ?? {};
  const inOrder = there.toSorted((a, b) => a.rank.position - b.rank.position);
  if (inOrder.some(({ one }) => one.id === root)) return root;
  return kinds
    .map((kind) => inOrder.find(({ one }) => one.states?.includes(kind))?.one.id)
    .find((id) => id !== undefined);
}

/**
 * What compares every answer shows something of its own only where no other case does: not by the same symptom, nor by the same answer, nor
 * on the same endpoint. What is dangerous follows only from what is.
 */
function followCompared(bad: readonly Bad[], roots: Map<CellResult, string>): void {
  const others = bad.filter(({ rank }) => !rank.isCatchAll);
  for (const { cell, one, symptom, rank } of bad) {
    if (!rank.isCatchAll || roots.get(cell) !== one.id) continue;
    const alike =
      others.find((other) => other.symptom.name === symptom.name) ??
      others.find((other) => other.cell.exchange === cell.exchange) ??
      others.find(
        (other) =>
          !other.rank.isWarning && isSamePlace(cell, other.cell) && mayHide(other, symptom),
      );
    const root = alike && roots.get(alike.cell);
    if (root !== undefined) roots.set(cell, root);
  }
}

/** Those that fail, where any does: only these can explain all others. */
function gravestOf(bad: readonly Bad[]): readonly Bad[] {
  const failed = bad.filter(({ cell }) => cell.outcome === 'failed');
  return failed.length > 0 ? failed : bad;
}

/**
 * A question sends one request after the other. Where an answer that it got earlier is wrong by what another case shows, what it finds later
 * follows from that.
 */
function followEarlier(
  bad: readonly Bad[],
  roots: Map<CellResult, string>,
  earlierIn: EarlierIn,
): void {
  for (const { cell, one, symptom } of bad) {
    if (roots.get(cell) !== one.id) continue;
    const earlier = earlierIn(cell);
    const base = bad.find(
      (other) =>
        other.one !== one &&
        other.symptom.name !== symptom.name &&
        earlier.includes(other.symptom.name) &&
        isAsGrave(other.cell, cell) &&
        mayHide(other, symptom),
    );
    const root = base && roots.get(base.cell);
    if (root !== undefined) roots.set(cell, root);
  }
}

/** A case names what it builds on; where that failed at the same place, it shows nothing of its own. */
function followDeclared(bad: readonly Bad[], roots: Map<CellResult, string>): void {
  const byCase = Map.groupBy(bad, ({ one }) => one.id);
  for (const { cell, one, symptom } of bad) {
    if (roots.get(cell) !== one.id) continue;
    const base = (one.buildsOn ?? [])
      .flatMap((id) => byCase.get(id) ?? [])
      .find(
        (other) =>
          other.one !== one &&
          isSamePlace(cell, other.cell) &&
          isAsGrave(other.cell, cell) &&
          mayHide(other, symptom),
      );
    const root = base && roots.get(base.cell);
    if (root !== undefined) roots.set(cell, root);
  }
}

/** What fails follows only from what fails. */
function isAsGrave(base: CellResult, { outcome }: CellResult): boolean {
  return base.outcome === 'failed' || base.outcome === outcome;
}

/** What is dangerous follows only from what is. */
function mayHide({ symptom }: Bad, { isDangerous, name }: Symptom): boolean {
  const isAlike = symptom.isDangerous === true || symptom.name === NOT_COUNTED;
  return !isDangerous || name === NOT_COUNTED || isAlike;
}

/** True where one asked the endpoint on which the other failed. */
function isSamePlace(one: CellResult, other: CellResult): boolean {
  const shown = other.exchange && endpointAt(other.exchange.request);
  const places = [other.cell.endpoint, other.endpoint, shown];
  return one.touched.some((endpoint) => places.includes(endpoint));
}

/** What builds on something that itself only follows has the root of that. */
function toTheRoots(roots: Map<CellResult, string>, bad: readonly Bad[]): void {
  const ofCase = new Map<string, string>();
  for (const { cell, one } of bad) {
    const root = roots.get(cell) ?? one.id;
    if (root === one.id || !ofCase.has(one.id)) ofCase.set(one.id, root);
  }
  const order = [...new Set(bad.map(({ one }) => one.id))];
  for (const [cell, root] of roots) roots.set(cell, lastOf(root, ofCase, order));
}

/** Where the way from root to root ends; cases that follow from each other have the first of them as their root. */
function lastOf(id: string, rootOf: ReadonlyMap<string, string>, order: readonly string[]): string {
  const way = [id];
  for (;;) {
    const last = way.at(-1) ?? id;
    const next = rootOf.get(last) ?? last;
    if (next === last) return last;
    const at = way.indexOf(next);
    if (at >= 0) return order.find((one) => way.includes(one, at)) ?? next;
    way.push(next);
  }
}
