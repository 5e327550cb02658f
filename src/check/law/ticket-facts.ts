import { isRecord, isSameValue, type JsonRecord, show, stringsIn } from '../facts/json.ts';
import { isConsume, isRest } from '../requests/exchange.ts';
import type { TargetTicket } from '../target/target.ts';
import type { Observation, Violation } from './observation.ts';
import { isGrant } from './reading.ts';

/** Where a person's name may be. */
const NAMED = /^(Name|holder\..*)$/;
const NAME_LETTERS_MIN = 4;
/** A name on a display may be cut (section 2.4): a text that fills most of it may end inside a word. */
const CUT_BYTES_MIN = 13;
const CUT_LETTERS_MIN = 6;

/** What is known about the tickets of a run, so that an answer about the wrong one shows. */
export class TicketFacts {
  readonly #facts = new Map<string, Map<string, unknown>>();
  readonly #codeOfId = new Map<string, string>();
  /** Names of holders, by ticket code. */
  readonly #names = new Map<string, readonly string[]>();

  /** What the target says about a ticket counts as an answer. */
  add({ code, ticketId, usesAllowed, holder }: TargetTicket): void {
    if (this.#facts.has(code)) return;
    this.#facts.set(code, new Map());
    if (ticketId !== undefined) this.#learn(code, 'ticketId', ticketId);
    if (ticketId !== undefined) this.#codeOfId.set(ticketId, code);
    if (usesAllowed !== undefined) this.#learn(code, 'usesAllowed', usesAllowed);
    if (holder) {
      this.#learn(code, 'holder', personIn(holder));
      this.#learnHolder(code, holder);
    }
  }

  /** What an answer says about its ticket, and whether it says anything about another one. */
  judge(at: Observation): Violation | undefined {
    const body = at.answer?.json;
    if (!at.ticket || !isRecord(body)) return undefined;
    const { code } = at.ticket;
    return this.#foreign(at, code, body) ?? this.#changed(at, code, body);
  }

  #foreign(at: Observation, code: string, body: JsonRecord): Violation | undefined {
    for (const { path, text } of stringsIn(body)) {
      const owner =
        this.#codeOfId.get(text) ?? (NAMED.test(path) ? this.#ownerOfName(text, code) : undefined);
      if (owner === undefined || owner === code) continue;
      return {
        rule: 'leak',
        section: '2.3',
        expected: `nothing of another ticket in ${path}`,
        observed: `${path}: ${show(text)}, which belongs to another ticket`,
        at,
      };
    }
    return undefined;
  }

  /** What answers say about a ticket may not change from one to the next. */
  #changed(at: Observation, code: string, body: JsonRecord): Violation | undefined {
    const { ticketId, ticketType, usesAllowed, validFrom, validUntil, holder } = body;
    const isGranted = isGrant(at.outcome);
    const namesHolder = isGranted && isRest(at.step.endpoint);
    if (namesHolder && isRecord(holder)) this.#learnHolder(code, holder);
    const lasting = {
      ticketId,
      ticketType,
      usesAllowed: at.allowed ?? usesAllowed,
      // a refusal shows no window of its own
      ...(isGranted ? { validFrom, validUntil } : {}),
      ...(namesHolder ? { holder: personIn(holder) } : {}),
    };
    for (const [name, value] of Object.entries(lasting)) {
      const violation = value === undefined ? undefined : this.#compare(at, code, name, value);
      if (violation) return violation;
    }
    if (typeof ticketId === 'string') this.#codeOfId.set(ticketId, code);
    return undefined;
  }

  #compare(at: Observation, code: string, name: string, value: unknown): Violation | undefined {
    const known = this.#facts.get(code)?.get(name);
    if (known === undefined) this.#learn(code, name, value);
    if (known === undefined || isSameValue(known, value)) return undefined;
    return {
      rule: 'facts-changed',
      section: '2.3',
      expected: `${name}: ${show(known)}, as before`,
      observed: `${name}: ${show(value)}`,
      at,
    };
  }

  #learn(code: string, name: string, value: unknown): void {
    const facts = this.#facts.get(code) ?? new Map<string, unknown>();
    facts.set(name, value);
    this.#facts.set(code, facts);
  }

  #learnHolder(code: string, holder: JsonRecord): void {
    const names = [holder['firstName'], holder['lastName']];
    this.#names.set(
      code,
      names.filter((one): one is string => typeof one === 'string'),
    );
  }

  /** Whose name a text shows; undefined when it is of no known holder, or may be the ticket's own. */
  #ownerOfName(text: string, code: string): string | undefined {
    // one person may have several tickets: only what is known of this one counts
    if (this.#facts.get(code)?.has('holder') !== true) return undefined;
    const own = this.#names.get(code) ?? [];
    const words = text.split(/\s+/).filter((word) => word.length >= NAME_LETTERS_MIN);
    const mayBeCut = Buffer.byteLength(text) >= CUT_BYTES_MIN;
    const isOf = (word: string, name: string) =>
      word === name || (mayBeCut && word.length >= CUT_LETTERS_MIN && name.startsWith(word));
    for (const word of words) {
      if (own.some((name) => isOf(word, name))) return undefined;
    }
    for (const [owner, names] of this.#names) {
      if (owner === code) continue;
      if (words.some((word) => names.some((name) => isOf(word, name)))) return owner;
    }
    return undefined;
  }
}

/** Null when an answer names nobody. */
function personIn(holder: unknown): JsonRecord | null {
  if (!isRecord(holder)) return null;
  return { firstName: holder['firstName'], lastName: holder['lastName'] };
}

/** Times may be shown in whole seconds: two scans within that may show the same one. */
const TIME_RESOLUTION_MS = 1100;
const TIMES_KEPT_MAX = 10_000;

/** Section 2.3: scannedAt is the time of this consumption, and not of an earlier one. */
export class ScanTimes {
  /** The first answer with that time. */
  readonly #seen = new Map<string, Observation>();

  judge(observations: readonly Observation[]): Violation | undefined {
    for (const at of observations) {
      const body = at.answer?.json;
      if (!isConsume(at.step.endpoint) || !isRecord(body)) continue;
      const { scannedAt } = body;
      if (typeof scannedAt !== 'string') continue;
      const seen = this.#seen.get(scannedAt);
      if (seen === undefined) this.#remember(scannedAt, at);
      else if (at.startedAt - seen.endedAt > TIME_RESOLUTION_MS && !isSameRequest(at, seen)) {
        return {
          rule: 'time-repeated',
          section: '2.3',
          expected: 'scannedAt: the time of this consumption',
          observed: `scannedAt: ${show(scannedAt)}, as in an answer ${Math.round(at.startedAt - seen.endedAt)} ms before`,
          at,
        };
      }
    }
    return undefined;
  }

  #remember(scannedAt: string, at: Observation): void {
    if (this.#seen.size >= TIMES_KEPT_MAX) this.#seen.clear();
    this.#seen.set(scannedAt, at);
  }
}

function isSameRequest(one: Observation, other: Observation): boolean {
  return one.retryOf !== undefined && one.retryOf === other.retryOf;
}
