import { distance } from 'fastest-levenshtein';
import { FileModel, type FileRead } from '../../device-files/file-model.ts';
import { answerOf, type Outcome, statusOf as usualStatus } from '../../device-files/outcomes.ts';
import { DENIALS, type DeviceFile } from '../../device-files/schema.ts';
import { parseTemplate } from '../../device-files/template.ts';
import { headerOf, statusOf } from '../../kit/http1.ts';
import type { StoredExchange, StoredMessage } from '../recording.ts';
import type { Difference } from '../replay/differences.ts';
import { isOfUnknownDevice } from './learn.ts';
import { bodyOf, isOfTicketscan, received } from './received.ts';

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
  const outcomes = possible.filter((outcome) => isLike(response, body, file, outcome));
  const differences =
    outcomes.length > 0 ? noCode : [...noCode, unlike(response, body, file, possible)];
  return { outcomes, differences };
}

function isLike(
  response: StoredMessage,
  body: string,
  file: DeviceFile,
  outcome: Outcome,
): boolean {
  const answer = answerOf(file, outcome);
  if (!answer || usualStatus(answer, outcome) !== statusOf(response.head)) return false;
  const isTyped =
    answer.type === undefined ||
    mediaType(answer.type) === mediaType(headerOf(response.head, 'content-type'));
  return isTyped && fits(body, answer.body ?? '');
}

/** Whether a text is a template with any values. */
function fits(text: string, body: string): boolean {
  const template = parseTemplate(body);
  if (typeof template === 'string') return false;
  let at = 0;
  let isFree = false;
  for (const [index, part] of template.entries()) {
    if (typeof part !== 'string') {
      isFree = true;
      continue;
    }
    const isLast = index === template.length - 1;
    const found =
      isFree && isLast ? Math.max(at, text.length - part.length) : text.indexOf(part, at);
    if (found === -1 || (!isFree && found !== at) || !text.startsWith(part, found)) return false;
    at = found + part.length;
    isFree = false;
  }
  return isFree || at === text.length;
}

/** Enough to tell which answer is meant. */
const COMPARED_CHARACTERS = 2000;

/** Compares with the answer of the file that is most like the recorded one. */
function unlike(
  { head }: StoredMessage,
  body: string,
  file: DeviceFile,
  possible: readonly Outcome[],
): Difference {
  const told = (status: number, type = 'no content type', text = '') =>
    `${status} ${type} ${text}`.trim();
  const recorded = told(statusOf(head), headerOf(head, 'content-type'), body);
  const answers = possible.map((outcome) => {
    const answer = answerOf(file, outcome) ?? {};
    const text = told(usualStatus(answer, outcome), answer.type, answer.body);
    return { outcome, text, edits: distance(recorded.slice(0, COMPARED_CHARACTERS), text) };
  });
  const [nearest] = answers.toSorted((one, other) => one.edits - other.edits);
  const alike = answers.filter(({ text }) => text === nearest?.text);
  const name = alike.length > 2 ? `a denial (${alike.length} outcomes)` : nearest?.outcome;
  return { what: 'answer', nearest: name, recorded, now: nearest?.text };
}

const mediaType = (type: string | undefined) => type?.split(';')[0]?.trim().toLowerCase();
