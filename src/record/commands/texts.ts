import { isInterim, pathOf, requestLine, statusOf } from '../../kit/http1.ts';
import { sanitizeForTerminal } from '../../kit/text.ts';
import { table } from '../../terminal/results.ts';
import type { FieldReport, RequestKind } from '../kinds/request-kinds.ts';
import type { StoredExchange } from '../recording.ts';

/** What is printed of an exchange, without keys and codes. */
export function exchangeFacts(exchange: StoredExchange) {
  const { number, model, request, response, durationMs, failure } = exchange;
  const { method = '?', target = '?' } = requestLine(request.head) ?? {};
  const said = response ? statusOf(response.head) : null;
  // An answer that broke off after its interim responses is none.
  const status = said !== null && isInterim(said) ? null : said;
  const ms = Math.round(durationMs);
  return { number, model, method, path: pathOf(target), status, ms, ...(failure && { failure }) };
}
export type ExchangeFacts = ReturnType<typeof exchangeFacts>;

/** One exchange in a line. */
export function exchangeLine(facts: ExchangeFacts): string {
  const { number, model, method, path, status, ms, failure } = facts;
  const answer = status === null ? (failure ?? 'no answer') : `${status} after ${ms} ms`;
  return sanitizeForTerminal(
    `${String(number).padStart(4)}  ${model.padEnd(18)}${method} ${path}  ${answer}`,
  );
}

/** How many exchanges of which sender: `3 of access-controller, 1 of an unknown device`. */
export function countsText(counts: ReadonlyMap<string, number>): string {
  return [...counts]
    .map(([model, count]) => `${count} of ${model === 'unknown' ? 'an unknown device' : model}`)
    .join(', ');
}

const KIND_HEADS = ['field', 'in', 'type', 'example', 'looks like', 'over time'];
const EXAMPLE_CHARACTERS_MAX = 44;

/** A kind of request with its fields, as lines. */
export function kindLines(kind: RequestKind): string[] {
  const count = kind.requests === 1 ? '' : ` (${kind.requests} requests)`;
  const rows = table(KIND_HEADS, kind.fields.map(fieldRow));
  return [`${kindTitle(kind)}${count}`, ...rows.map((row) => `  ${row}`)];
}

/** The output for the first request of a kind: a known model is named, an unknown one shown field by field. */
export function introduction(kind: RequestKind): string[] {
  if (kind.model === 'unknown') return kindLines(kind);
  if (kind.model === 'other') return [];
  const serial = kind.fields.find(({ looksLike }) => looksLike === 'the serial of the device');
  return [sanitizeForTerminal(`${kindTitle(kind)}${serial ? `, serial ${serial.example}` : ''}`)];
}

function kindTitle({ model, method, path }: RequestKind): string {
  const who =
    model === 'unknown'
      ? 'Unknown device'
      : model === 'rest'
        ? 'Software'
        : `Device model ${model}`;
  return sanitizeForTerminal(`${who}: ${method} ${path}`);
}

function fieldRow({ name, place, type, example, looksLike, changes }: FieldReport): string[] {
  const isLong = example.length > EXAMPLE_CHARACTERS_MAX;
  const shown = isLong ? `${example.slice(0, EXAMPLE_CHARACTERS_MAX)}…` : example;
  return [name === '' ? '(all of it)' : name, place, type, shown, looksLike, changes ?? ''];
}
