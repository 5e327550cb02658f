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
