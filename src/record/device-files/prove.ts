import { distance } from 'fastest-levenshtein';
import { FileModel, type FileRead } from '../../device-files/file-model.ts';
import { answerMessage, openerOf } from '../../device-files/opening.ts';
import { answerOf, type Outcome, statusOf as usualStatus } from '../../device-files/outcomes.ts';
import { DENIALS, type DeviceFile } from '../../device-files/schema.ts';
import { mediaType, parseTemplate } from '../../device-files/template.ts';
import { headerOf, statusOf } from '../../kit/http1.ts';
import type { StoredExchange, StoredMessage } from '../recording.ts';
import type { Difference } from '../replay/differences.ts';
import { bodyOf, isOfTicketscan, isOfUnknownDevice, received } from './senders.ts';

/** What a device file makes of a recorded exchange. */
export interface Proven {
  readonly exchange: StoredExchange;
  readonly read: FileRead | undefined;
  /** The outcomes whose answers are like the recorded one; undefined when no answer of the device's server was recorded. */
  readonly outcomes: readonly Outcome[] | undefined;
  readonly differences: readonly Difference[];
}

/**
 * Reads each request of a recording with a device file, and looks for the recorded answer among those of the file. Requests of other
 * devices are left out.
 */
export function prove(exchanges: readonly StoredExchange[], file: DeviceFile): Proven[] {
  const model = new FileModel(file);
  return exchanges.flatMap((exchange) => {
    const request = received(exchange.request);
    const read = request && model.read(request.message, request.arrival);
    if (!read && exchange.model !== file.name && !isOfUnknownDevice(exchange)) return [];
    const named = read ? { ...exchange, model: file.name } : exchange;
    return [{ exchange: named, read, ...comparison(exchange, file, read) }];
  });
}

function comparison({ response }: StoredExchange, file: DeviceFile, read: FileRead | undefined) {
  if (!read) {
    const difference = { what: 'request', recorded: 'sent', now: 'no request of the file matches' };
    return { outcomes: undefined, differences: [difference] };
  }
  const unread = read.kind === 'scan' && read.scan.ticketCode === undefined;
  const noCode = unread
    ? [{ what: 'code', recorded: 'a request', now: 'no ticket code is read' }]
    : [];
  const body = response?.whole ? bodyOf(response) : undefined;
  if (!response || body === undefined || isOfTicketscan(statusOf(response.head), body))
    return { outcomes: undefined, differences: noCode };
  const possible: readonly Outcome[] = read.kind === 'scan' ? ['granted', ...DENIALS] : [read.kind];
  const answers = possible.map((outcome) => likely(file, outcome, response, body));
  const outcomes = answers.filter(({ isLike }) => isLike).map(({ outcome }) => outcome);
  const differences = outcomes.length > 0 ? [] : [unlike(response, body, file, answers)];
  return { outcomes, differences: [...noCode, ...differences] };
}

interface Likely {
  readonly outcome: Outcome;
  readonly status: number;
  /** Status, type and body, with the recorded values at the places of the template. */
  readonly text: string;
  readonly isLike: boolean;
}

/** The answer of the file to an outcome, as near as it can be to the recorded one. */
function likely(file: DeviceFile, outcome: Outcome, { head }: StoredMessage, body: string): Likely {
  const answer = answerOf(file, outcome) ?? {};
  const status = usualStatus(answer, outcome);
  const recordedType = headerOf(head, 'content-type');
  const text = likeRecorded(answer.body ?? '', body);
  const isTyped =
    answer.type === undefined || mediaType(answer.type) === mediaType(recordedType ?? '');
  const isLike = status === statusOf(head) && isTyped && text === body;
  return {
    outcome,
    status,
    text: told(status, isTyped ? recordedType : answer.type, text),
    isLike,
  };
}

const told = (status: number, type = 'no content type', text = '') =>
  `${status} ${type} ${text}`.trim();

/** A template with the values that a recorded text has at its places, as far as they can be told. */
function likeRecorded(body: string, recorded: string): string {
  const template = parseTemplate(body);
  let like = '';
  for (const [index, part] of template.entries()) {
    if (typeof part === 'string') like += part;
    else {
      const next = template[index + 1] ?? '';
      const isLast = index + 2 >= template.length;
      const end = typeof next === 'string' ? startOf(next, recorded, like.length, isLast) : 0;
      like += recorded.slice(like.length, end);
    }
  }
  return like;
}

const LOOKED_FOR_CHARACTERS = 16;

/** Where a fixed text of a template begins in a recorded text, or its beginning when the rest of it differs. */
function startOf(fixed: string, recorded: string, from: number, isLast: boolean): number {
  const last = recorded.length - fixed.length;
  if (isLast && recorded.endsWith(fixed) && last >= from) return last;
  const whole = recorded.indexOf(fixed, from);
  if (whole !== -1) return whole;
  for (let length = LOOKED_FOR_CHARACTERS; length > 0; length -= 1) {
    const found = recorded.indexOf(fixed.slice(0, length), from);
    if (found !== -1) return found;
  }
  return recorded.length;
}

/** Enough to tell which answer is meant. */
const COMPARED_CHARACTERS = 2000;

/** Compares with the nearest answer of the file: of those that open like the recorded one, and have its status, the most like it. */
function unlike(
  { head }: StoredMessage,
  body: string,
  file: DeviceFile,
  answers: readonly Likely[],
): Difference {
  const status = statusOf(head);
  const opens = openerOf(file)(answerMessage(status, body));
  const recorded = told(status, headerOf(head, 'content-type'), body);
  const rank = (one: Likely) => {
    const isOther = (one.outcome === 'granted') !== opens;
    const edits = distance(
      recorded.slice(0, COMPARED_CHARACTERS),
      one.text.slice(0, COMPARED_CHARACTERS),
    );
    return [Number(isOther), Number(one.status !== status), edits] as const;
  };
  const ranked = answers.map((one) => ({ ...one, rank: rank(one) }));
  const [nearest] = ranked.sort(
    ({ rank: a }, { rank: b }) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2],
  );
  const alike = answers.filter(({ text }) => text === nearest?.text);
  const name = alike.length > 2 ? `a denial (${alike.length} outcomes)` : nearest?.outcome;
  return { what: 'answer', nearest: name, recorded, now: nearest?.text };
}
