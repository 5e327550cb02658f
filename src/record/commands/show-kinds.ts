import { sanitizeForTerminal } from '../../kit/text.ts';
import { table } from '../../terminal/results.ts';
import { KIND_HEADS, kindRows, kindTitle } from '../kinds/describe-kind.ts';
import type { RequestKind } from '../kinds/request-kinds.ts';

/** A kind of request with its fields, as lines. */
export function kindLines(kind: RequestKind): string[] {
  const count = kind.requests === 1 ? '' : ` (${kind.requests} requests)`;
  const rows = table(KIND_HEADS, kindRows(kind));
  return [`${sanitizeForTerminal(kindTitle(kind))}${count}`, ...rows.map((row) => `  ${row}`)];
}

/** The output for the first request of a kind: a known model is named, an unknown one shown field by field. */
export function introduction(kind: RequestKind): string[] {
  if (kind.model === 'unknown') return kindLines(kind);
  if (kind.model === 'other') return [];
  const serial = kind.fields.find(({ looksLike }) => looksLike === 'the serial of the device');
  return [sanitizeForTerminal(`${kindTitle(kind)}${serial ? `, serial ${serial.example}` : ''}`)];
}

/** How many exchanges of which sender: `access-controller 3, unknown 1`. */
export function countsText(counts: ReadonlyMap<string, number>): string {
  return [...counts]
    .map(([model, count]) => `${count} of ${model === 'unknown' ? 'an unknown device' : model}`)
    .join(', ');
}

/** One exchange in a line. */
export function exchangeText(exchange: ExchangeLine): string {
  const { number, model, method, path, status, ms, failure } = exchange;
  const answer = status === null ? (failure ?? 'no answer') : `${status} after ${ms} ms`;
  return sanitizeForTerminal(
    `${String(number).padStart(4)}  ${model.padEnd(18)}${method} ${path}  ${answer}`,
  );
}

/** The output for an exchange, as one line or event. */
export interface ExchangeLine {
  readonly number: number;
  readonly model: string;
  readonly method: string;
  readonly path: string;
  /** Null without an answer. */
  readonly status: number | null;
  readonly ms: number;
  readonly failure?: string;
}
