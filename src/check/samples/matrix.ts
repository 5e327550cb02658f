import type { Cell, CheckCase, Seen } from '../cases/case.ts';
import type { Scan } from '../cases/scan.ts';
import { type Endpoint, type Exchange, endpointAt, isRest } from '../facts/exchange.ts';
import { isRecord, type JsonRecord, showFields } from '../facts/json.ts';
import type { Level } from '../facts/level.ts';
import type { AnswerRule } from '../law/answer-rule.ts';
import type { SymptomKind } from '../law/symptom-kinds.ts';
import { dashed, GOOD, REFUSED, sampleOf } from './samples.ts';

type Asked = Omit<Cell, 'endpoint'>;
type SampleSituation = Parameters<typeof sampleOf>[0];

/** The same question on each of the endpoints. */
export function on<E extends Endpoint>(
  endpoints: readonly E[],
  ask: (endpoint: E) => Asked,
): Cell[] {
  return endpoints.map((endpoint) => ({ endpoint, ...ask(endpoint) }));
}

/** What a shared answer is an answer to. */
export interface Place<S, E> {
  readonly situation: S;
  readonly endpoint: E;
  readonly sample: string;
}

/** Judges the shared answer to each situation on each endpoint. */
export function judging<S extends SampleSituation, E extends Endpoint>(
  situations: readonly S[],
  endpoints: readonly E[],
  judge: (exchange: Exchange, scan: Scan, place: Place<S, E>) => Seen | Promise<Seen>,
): Cell[] {
  return endpoints.flatMap((endpoint) =>
    situations.map((situation): Cell => {
      const sample = sampleOf(situation, endpoint);
      return {
        endpoint,
        ...(situations.length > 1 ? { variant: dashed(situation) } : {}),
        samples: [sample],
        run: async (scan) =>
          judge(await scan.sample(sample), scan, { situation, endpoint, sample }),
      };
    }),
  );
}

/** One answer of each kind that an endpoint gives. */
export function everyAnswer(endpoint: Endpoint): string[] {
  const situations: readonly SampleSituation[] =
    endpoint === 'heartbeat' ? [] : [...GOOD, ...REFUSED, 'forged', 'outOfScope'];
  return ['noKey' as const, ...situations, ...(isRest(endpoint) ? ['noCode' as const] : [])].map(
    (situation) => sampleOf(situation, endpoint),
  );
}

/**
 * Judges every answer of the run that an endpoint gave to a POST: one of each kind at least, as far as the target goes.
 * @param wrong what was expected and what was seen, where an answer is not as required
 */
export function reviewing(
  endpoints: readonly Endpoint[],
  wrong: (...seen: [...Parameters<AnswerRule['wrong']>, Scan]) => ReturnType<AnswerRule['wrong']>,
): Cell[] {
  return on(endpoints, (endpoint) => ({
    samples: everyAnswer(endpoint),
    async run(scan) {
      for (const exchange of await answersOf(scan, endpoint)) {
        const found = wrong(exchange, scan.isKeyGood(exchange), scan);
        if (found) scan.fail(found[0], found[1], exchange, found[2]);
      }
    },
  }));
}

/** The same for a rule that explains why other cases cannot read an answer which breaks it. */
export function ruling(endpoints: readonly Endpoint[], rule: AnswerRule['wrong']) {
  return { rule, cells: reviewing(endpoints, rule) };
}

/** Every answer of an endpoint to a POST, for a case of the review that declares one of each kind. */
export async function answersOf(scan: Scan, endpoint: Endpoint): Promise<Exchange[]> {
  for (const sample of everyAnswer(endpoint)) if (scan.has(sample)) await scan.sample(sample);
  return scan
    .exchanges()
    .filter(
      ({ request }) => endpointAt(request) === endpoint && (request.method ?? 'POST') === 'POST',
    );
}

/** A requirement on every answer of a kind. */
export interface ReviewRule<E extends Endpoint> {
  readonly id: string;
  readonly requirement: string;
  /** `stated` when left out. */
  readonly level?: Level;
  readonly states?: readonly SymptomKind[];
  readonly buildsOn?: readonly string[];
  readonly endpoints?: readonly E[];
  /** Expected and observed when this answer breaks the rule. */
  readonly wrong: (answer: JsonRecord) => ReturnType<AnswerRule['wrong']>;
}

/** What a rule finds in an answer in which these fields are wrong; nothing where none is. */
export function wrongFields(answer: JsonRecord, names: readonly string[], expected: string) {
  if (names.length === 0) return undefined;
  return [expected, showFields(answer, names), names] as const;
}

/**
 * Makes cases that judge every answer to a request that the specification describes.
 * @param members an answer is judged when it is a JSON object with one of these
 */
export function reviewCases<E extends Endpoint>(
  everywhere: readonly E[],
  members: readonly string[],
) {
  return ({
    wrong,
    endpoints = everywhere,
    level = 'stated',
    ...text
  }: ReviewRule<E>): CheckCase => {
    const { rule, cells } = ruling(endpoints, (exchange) => {
      const { json } = exchange.answer;
      const isJudged = isRecord(json) && members.some((name) => name in json);
      return exchange.level === 'stated' && isJudged ? wrong(json) : undefined;
    });
    // what only the samples show explains no failure
    return { ...text, level, phase: 'review', cells, ...(level === 'stated' ? { rule } : {}) };
  };
}
