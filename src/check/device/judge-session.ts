import { type Case, cellsOf, Inconclusive } from '../cases/case.ts';
import { ENDPOINTS } from '../facts/exchange.ts';
import { type CellResult, type JudgedCase, resultOf } from '../judging/combine.ts';
import { evidenceOf } from '../judging/evidence.ts';
import { type Found, outcomeOf, redacted } from '../judging/outcome.ts';
import { withFollowers } from '../judging/roots.ts';
import type { Symptom, SymptomKind } from '../law/symptom-kinds.ts';
import { Redactor } from '../requests/redact.ts';
import { type CaseResult, type Evidence, isDeviation } from '../results/result.ts';
import type { DeviceCase } from './cases/device-case.ts';
import type { SessionResults } from './cases/session-results.ts';
import type { SeenRequest } from './http.ts';
import { leavesOf } from './scenes/scene.ts';
import { SCENES } from './scenes/scenes.ts';

/** Judges cases from what a session left. Throws only for a bug of this program. */
export async function judgeSession(
  cases: readonly DeviceCase[],
  session: SessionResults,
): Promise<CaseResult[]> {
  const redactor = new Redactor();
  redactor.add(session.record.key, '$KEY');
  const judged = await Promise.all(cases.map((one) => judgedCase(one, session, redactor)));
  const arrival = cases.find(({ statesArrival }) => statesArrival);
  return withFollowers(judged, symptomsOf(judged, arrival?.id, session)).map(resultOf);
}

async function judgedCase(
  one: DeviceCase,
  session: SessionResults,
  redactor: Redactor,
): Promise<JudgedCase> {
  const cells = cellsOf(one).map(async (cell): Promise<CellResult> => {
    const run = () => {
      mustBeShown(one, session);
      return cell.run(session);
    };
    const found = withFacts(one, await outcomeOf<SeenRequest>(cell, run, () => undefined));
    const { exchange, ...rest } = redacted(busyInstead(one, session, found) ?? found, redactor);
    return {
      ...rest,
      cell,
      asked: rest.outcome === 'skipped' ? [] : [one.endpoint],
      // a session is one place: what goes wrong anywhere in it may explain the rest
      touched: ENDPOINTS,
      requests: 1,
      reproduce: commandFor(one, session),
      ...(exchange ? { evidence: evidenceIn(exchange, redactor) } : {}),
    };
  });
  return { one, cells: await Promise.all(cells), durationMs: 0 };
}

/** A deviation with what holds for each of this case. */
function withFacts(one: DeviceCase, found: Found<SeenRequest>): Found<SeenRequest> {
  if (!isDeviation(found)) return found;
  const { cause = one.cause, isDangerous = one.isDangerous, isTimed = one.isTimed } = found;
  return { ...found, cause, isDangerous, isTimed };
}

/** @throws Inconclusive when the session does not show what the case is about */
function mustBeShown({ scenes, skipReason }: DeviceCase, session: SessionResults): void {
  const { omitted, played } = session.record;
  const omission = skipReason?.(session.format) ?? omissionOf(scenes, session);
  if (omission !== undefined) throw new Inconclusive(omission, true);
  const isMissing = (name: string) => scenes.includes(name) && omitted[name] === undefined;
  const unplayed = SCENES.find(
    (scene) => leavesOf(scene).some(isMissing) && !played.includes(scene.id),
  );
  if (unplayed)
    throw new Inconclusive(`the session ended before its scene "${unplayed.id}" was over`);
}

/** Why all of these scenes were left out. */
function omissionOf(scenes: readonly string[], session: SessionResults): string | undefined {
  if (session.played(scenes).length > 0) return undefined;
  return scenes.map((scene) => session.record.omitted[scene]).find((reason) => reason);
}

/** A judge that was late itself by so much of the Wait Time accuses nobody of being late. */
const DELAY_SHARE = 0.2;
const DELAY_MS_MAX = 200;

/** No result where this machine was too busy for the scenes of the case; undefined where that has no part in what was seen. */
function busyInstead(
  { scenes }: DeviceCase,
  session: SessionResults,
  { isTimed }: Found<SeenRequest>,
): Found<SeenRequest> | undefined {
  if (!isTimed) return undefined;
  const ms = session.delayIn(session.played(scenes));
  if (ms < Math.max(DELAY_MS_MAX, DELAY_SHARE * session.settings.waitTimeMs)) return undefined;
  const reason = `this machine was busy: the judge itself stood still for ${Math.round(ms)} ms, and may have seen its own delay; play it again on a quiet one`;
  return { outcome: 'unanswered', reason };
}

function commandFor({ id, kind }: DeviceCase, { format }: SessionResults): string {
  const file = format.file ? `${format.file.options} ` : '';
  return `ticketscan check device ${kind === 'client' ? '--client ' : file}--only ${id}`;
}

function evidenceIn(
  { method, target, headers, body, answer }: SeenRequest,
  redactor: Redactor,
): Evidence {
  return evidenceOf(
    { line: `${method} ${target}`, headers, body },
    answer && { line: `HTTP ${answer.status} (${answer.how})`, headers: [], body: answer.body },
    redactor,
  );
}

/**
 * What is wrong in a session, as far as it has a name: that no card came at all, what another case states that failed by it as well, or a
 * cause that several cases saw.
 * @param arrival the case that states that a card arrives
 */
function symptomsOf(
  judged: readonly JudgedCase[],
  arrival: string | undefined,
  { cards, record }: SessionResults,
): (cell: CellResult, one: Case<never>) => Symptom | undefined {
  const bad = new Map(
    judged.flatMap(({ one, cells }) => cells.filter(isDeviation).map((cell) => [one.id, cell])),
  );
  const root = cards.length === 0 ? arrival : undefined;
  const isSilent = root !== undefined && bad.get(root)?.outcome === 'failed';
  const kinds = sharedKinds(judged);
  return (cell, { buildsOn = [], cause }): Symptom | undefined => {
    const { outcome, isDangerous } = cell;
    // a door that opens without a card is a fault of its own, and so are heartbeats where something came
    const isApart =
      isDangerous || (cell.cell.endpoint === 'heartbeat' && record.requests.length > 0);
    if (isSilent && !isApart) return { name: 'no card', root };
    const kind = kinds.get(cell);
    if (kind) return { name: kind, kinds: [kind] };
    // what a case builds on explains it better than a cause that others saw as well
    const explains = (id: string) => [outcome, 'failed'].includes(bad.get(id)?.outcome ?? '');
    if (cell.cause === undefined || cell.cause === cause || buildsOn.some(explains))
      return undefined;
    return { name: cell.cause };
  };
}

/**
 * What is wrong, for each cell that failed or warned by a kind of which another is an instance as well: the first of its kinds that a
 * case states that failed by it, and where that case has a plainer one, that.
 */
function sharedKinds(judged: readonly JudgedCase[]): ReadonlyMap<CellResult, SymptomKind> {
  const bad = judged.flatMap(({ one, cells }) =>
    cells.filter(isDeviation).map((cell) => ({ cell, states: one.states ?? [] })),
  );
  const statedBy = new Map<string, { readonly kind: SymptomKind; readonly cell: CellResult }>();
  for (const { cell, states } of bad)
    for (const kind of states)
      if (cell.fields?.includes(kind) && !statedBy.has(kind)) statedBy.set(kind, { kind, cell });
  const plainest = (
    cell: CellResult,
    before: readonly CellResult[] = [],
  ): SymptomKind | undefined => {
    const [first] = (cell.fields ?? []).flatMap((kind) => statedBy.get(kind) ?? []);
    if (!first || first.cell === cell || before.includes(cell)) return first?.kind;
    return plainest(first.cell, [...before, cell]);
  };
  const found = new Map(
    bad.flatMap(({ cell }) => {
      const kind = plainest(cell);
      return kind ? [[cell, kind] as const] : [];
    }),
  );
  const counts = Map.groupBy(found.values(), (kind) => kind);
  return new Map([...found].filter(([, kind]) => (counts.get(kind)?.length ?? 0) > 1));
}
