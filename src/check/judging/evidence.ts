import { cutText } from '../facts/cut.ts';
import type { Redactor } from '../requests/redact.ts';
import type { Evidence } from '../results/result.ts';

const BODY_CHARACTERS_SHOWN = 1000;

/** A request or an answer, with what evidence shows of it. */
export interface ShownMessage {
  /** Its first line: `POST /scan/consume`, `HTTP 200`. */
  readonly line: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string;
}

/**
 * An exchange as text, as it went over the wire but for the keys and the length of bodies.
 * @param answer undefined where none came
 */
export function evidenceOf(
  request: ShownMessage,
  answer: ShownMessage | undefined,
  redactor: Redactor,
): Evidence {
  return {
    request: redactor.redact(textOf(request)),
    response: redactor.redact(answer === undefined ? 'no answer' : textOf(answer)),
  };
}

function textOf({ line, headers, body }: ShownMessage): string {
  const lines = headers.map(([name, value]) => `${name}: ${value}`);
  return [line, ...lines, '', cut(body)].join('\n').trim();
}

function cut(body: string): string {
  const text = cutText(body, BODY_CHARACTERS_SHOWN);
  return text === body ? body : `${text} (${body.length} characters)`;
}
