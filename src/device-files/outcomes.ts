import { DENIALS, type Denial, type FileAnswer, type WrittenFile } from './schema.ts';
import { escapeIn, fillIn, parseTemplate } from './template.ts';

/** Everything that a file can answer. */
export type Outcome = 'granted' | 'heartbeat' | 'passage' | Denial;

/** The status for every device whose file does not set another. */
const USUAL_STATUS: Partial<Record<Outcome, number>> = {
  event_not_allowed: 403,
  missing_ticket_code: 400,
  key_refused: 401,
  too_many_requests: 429,
  server_error: 500,
};

/** The answer of a file to an outcome; undefined when it has none. */
export function answerOf(
  { answers }: Pick<WrittenFile, 'answers'>,
  outcome: Outcome,
): FileAnswer | undefined {
  const own = answers[outcome];
  if (own || !isDenial(outcome)) return own ?? (outcome === 'passage' ? {} : undefined);
  return answers.denied;
}

export function statusOf({ status }: FileAnswer, outcome: Outcome): number {
  return status ?? USUAL_STATUS[outcome] ?? 200;
}

/** The text of an answer with these values. */
export function filled(
  { body = '', type = '' }: FileAnswer,
  values: Readonly<Record<string, string>>,
): string {
  const template = parseTemplate(body);
  return fillIn(template, values, escapeIn(template, type));
}

function isDenial(outcome: Outcome): outcome is Denial {
  return (DENIALS as readonly string[]).includes(outcome);
}
