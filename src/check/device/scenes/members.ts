import { isRecord, parsedJson } from '../../facts/json.ts';
import type { Answer } from '../wire/answer.ts';

/** A JSON answer with other members; one that is undefined is removed. A plain text is replaced by an unknown one. */
export function withMembers(answer: Answer, members: Readonly<Record<string, unknown>>): Answer {
  const before = parsedJson(answer.body);
  return isRecord(before)
    ? { ...answer, body: JSON.stringify({ ...before, ...members }) }
    : { ...answer, body: 'code=0002' };
}
