import { HOUR_MS } from '../../kit/durations.ts';
import { capital } from '../../kit/text.ts';
import type { Exchange } from '../facts/exchange.ts';
import { read } from '../facts/reading.ts';
import { readTimestamp } from '../facts/timestamp.ts';
import type { Expected, ExpectedAnswers } from '../law/expected.ts';
import type { Symptom } from '../law/symptom-kinds.ts';

/** No two zones are further apart. */
const ZONES_MS = 26 * HOUR_MS;

/** The edges of a window, each with the outcome beyond it. */
const EDGES = {
  not_yet_valid: { name: 'let in soon before its validFrom', field: 'validFrom', side: 1 },
  expired: { name: 'let in soon after its validUntil', field: 'validUntil', side: -1 },
} as const;

/** The window of a ticket is kept on other days, and not near its edge: one fault of all endpoints. */
export const NEAR_ITS_WINDOW: readonly string[] = Object.values(EDGES).map(({ name }) => name);

/**
 * A ticket is let in outside of its window, and all that are further away from theirs are refused: the server compares its times wrong, and
 * does compare them (section 2.3).
 * @returns one symptom for all endpoints; undefined where the target does not say what the windows are
 */
export function windowSymptom(
  exchange: Exchange,
  { what, kind, code, outcomes: [right] }: Expected,
  answers: ExpectedAnswers,
): Symptom | undefined {
  if (right !== 'not_yet_valid' && right !== 'expired') return undefined;
  if (read(exchange.answer).outcome !== 'granted') return undefined;
  const { name, field, side } = EDGES[right];
  /** The longer, the further away from now. */
  const edgeOf = (shown: string | undefined) => {
    const moment = readTimestamp(answers.windowOf(shown)?.[field]);
    return moment && side * moment.epochMs;
  };
  const here = edgeOf(code);
  const now = Date.parse(exchange.answer.headers['date'] ?? '');
  if (here === undefined || here - side * now > ZONES_MS) return undefined;
  const ofKind = answers.exchanges.filter((one) => answers.of(one)?.kind === kind);
  const edges = (outcome: string) =>
    ofKind
      .filter(({ answer }) => read(answer).outcome === outcome)
      .flatMap((one) => edgeOf(answers.of(one)?.code) ?? []);
  const nearestRefused = Math.min(...edges(right));
  if (!(Math.max(...edges('granted')) < nearestRefused)) return undefined;
  if (nearestRefused === Number.POSITIVE_INFINITY) return undefined;
  const at = (edge: number) => new Date(side * edge).toISOString();
  return {
    name,
    kinds: ['the edge of a window'],
    isDangerous: true,
    cause: `${capital(what)} with ${field} ${at(here)} is let in, and those with ${at(nearestRefused)} and ${side === 1 ? 'later' : 'earlier'} are refused. Does the server read the time in another zone, or go by the day alone?`,
  };
}
