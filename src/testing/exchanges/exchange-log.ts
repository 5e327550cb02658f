import type { RecordedExchange } from '../controls.ts';

/** How many exchanges are kept. */
export const EXCHANGES_KEPT = 1000;

type Listener = (exchange: RecordedExchange) => void;

/** The newest exchanges, in the order in which they ended. */
export class ExchangeLog {
  #exchanges: RecordedExchange[] = [];
  #lastNumber = 0;
  readonly #listeners = new Set<Listener>();

  add(exchange: Omit<RecordedExchange, 'number'>): void {
    this.#lastNumber += 1;
    const numbered = { number: this.#lastNumber, ...exchange };
    this.#exchanges.push(numbered);
    if (this.#exchanges.length > 2 * EXCHANGES_KEPT) this.#exchanges = this.list().slice();
    for (const listener of this.#listeners) listener(numbered);
  }

  list(): readonly RecordedExchange[] {
    return this.#exchanges.slice(-EXCHANGES_KEPT);
  }

  clear(): void {
    this.#exchanges = [];
    this.#lastNumber = 0;
  }

  /** @returns stops listening */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}

/**
 * Every exchange from this call on, until `signal` or until the reader stops. A reader that falls behind loses the
 * oldest: what waits for it is bounded.
 */
export function watchExchanges(
  log: ExchangeLog,
  signal: AbortSignal,
): AsyncIterable<RecordedExchange> {
  const waiting: RecordedExchange[] = [];
  let wake = () => {};
  const stopListening = log.listen((exchange) => {
    waiting.push(exchange);
    if (waiting.length > EXCHANGES_KEPT) waiting.shift();
    wake();
  });
  let stopped = false;
  const stop = () => {
    stopped = true;
    stopListening();
    wake();
  };
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  return {
    async *[Symbol.asyncIterator]() {
      try {
        while (waiting.length > 0 || !stopped) {
          const next = waiting.shift();
          if (next) yield next;
          else
            await new Promise<void>((resolve) => {
              wake = resolve;
            });
        }
      } finally {
        stop();
        signal.removeEventListener('abort', stop);
      }
    },
  };
}

const API_KEY = /tscn_(api|hw)_[0-9A-Za-z]+/g;
const TICKET_CODE = /(TS[12]\.tkt_[a-z0-9]+_[a-z0-9]+)\.[\w-]+/g;
/** A ticket code in Base64, or a piece of one: only what is certainly none is left readable. */
const BASE64_RUN = /(?<![a-z0-9_])(?!tkt_)[A-Za-z0-9+/_-]{24,}={0,2}/g;

/**
 * The text of a body without what opens doors: keys, signatures of tickets and anything that could be a code in Base64.
 * The rest still names the ticket. JSON is read and written again, so that no spelling of a code slips through.
 */
export function redact(text: string): string {
  try {
    return JSON.stringify(redactValue(JSON.parse(text)));
  } catch {
    // Escapes could hide a code in what is no whole JSON.
    return text.includes('\\') ? `(${text.length} characters that are not JSON)` : redactText(text);
  }
}

function redactValue(value: unknown): unknown {
  if (typeof value === 'string') return redactText(value);
  if (Array.isArray(value)) return value.map(redactValue);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, one]) => [redactText(name), redactValue(one)]);
  return Object.fromEntries(entries) as unknown;
}

/** Hides secrets in text that is no body, such as a header or a serial; otherwise like `redact`. */
export function redactText(text: string): string {
  return text
    .replace(API_KEY, 'tscn_$1_…')
    .replace(TICKET_CODE, '$1.…')
    .replace(BASE64_RUN, (run) => `${run.slice(0, 8)}…`);
}
