import { headerOf, statusOf } from '../../kit/http1.ts';
import type { StoredExchange } from '../recording.ts';
import { opens } from './opening.ts';
import { bodyOf, isOfTicketscan } from './received.ts';

/** An answer that was recorded, as a template. */
export interface LearntAnswer {
  readonly status: number;
  readonly type: string | undefined;
  readonly body: string;
  readonly times: number;
  /** Undefined when it does not tell. */
  readonly opens: boolean | undefined;
}

/** The answers to scans, and why others were left out. */
export interface LearntAnswers {
  readonly answers: readonly LearntAnswer[];
  readonly ofTicketscan: number;
  /** Not complete, not UTF-8, or with the ticket code in it. */
  readonly unusable: number;
}

/** Collects the different answers of a recording. @param codes that were presented, which no file may keep */
export function learnAnswers(
  scans: readonly StoredExchange[],
  codes: ReadonlySet<string>,
): LearntAnswers {
  const known = new Map<string, LearntAnswer>();
  let ofTicketscan = 0;
  let unusable = 0;
  for (const { response } of scans) {
    const body = response?.whole ? bodyOf(response) : undefined;
    const status = statusOf(response?.head ?? '');
    if (isOfTicketscan(status, body)) ofTicketscan += 1;
    else if (!response || body === undefined || body.includes('{{') || hasOne(body, codes))
      unusable += 1;
    else {
      const type = headerOf(response.head, 'content-type');
      const template = withPlaces(body);
      const id = JSON.stringify([status, type, template]);
      const times = (known.get(id)?.times ?? 0) + 1;
      known.set(id, { status, type, body: template, times, opens: opens(status, body) });
    }
  }
  return { answers: [...known.values()], ofTicketscan, unusable };
}

const hasOne = (body: string, codes: ReadonlySet<string>) =>
  [...codes].some((code) => body.includes(code));

const TEXT = /("(?:message|msg|text|note|info|display)"\s*:\s*)"(?:[^"\\]|\\.)+"/gi;
const NAME = /("(?:name|user_?name|holder|person|full_?name)"\s*:\s*)"(?:[^"\\]|\\.)+"/gi;

/** Texts and names of people are those of one scan: their places stay, they do not. */
function withPlaces(body: string): string {
  return body.replace(TEXT, '$1"{{note}}"').replace(NAME, '$1"{{name}}"');
}
