import type { TargetTicket } from '../deployment/target.ts';
import { type Answer, type Endpoint, isRest } from '../facts/exchange.ts';
import { isRecord, isSameValue, type JsonRecord, show, stringsIn } from '../facts/json.ts';
import { read } from '../facts/reading.ts';
import { mayTell } from '../facts/scan-result.ts';
import { isNear, readTimestamp } from '../facts/timestamp.ts';

/** Where a person's name may be. */
const NAMED = /^(Name|holder\..*)$/;
const NAME_LETTERS_MIN = 4;
/** A name on a display may be cut (section 2.4): a text that fills most of it may end inside a word. */
const CUT_BYTES_MIN = 13;
const CUT_LETTERS_MIN = 6;
/** A target file, or a list that it was made from, may leave out parts of a second. */
const SECOND_MS = 999;

/** An answer to a request that shows the code of a ticket. */
export interface AnswerAbout {
  readonly code: string;
  readonly endpoint: Endpoint;
  readonly answer: Answer;
}

/** Something that an answer says of its ticket, and that is not so. */
export interface WrongFact {
  /** `leak` for something that belongs to another ticket, `changed` for something else than what is known. */
  readonly kind: 'leak' | 'changed';
  /** What is told: `usesAllowed`, `holder`; of another ticket, where it stands. */
  readonly fact: string;
  /** The field of the answer in which it stands. */
  readonly field: string;
  readonly expected: string;
  readonly observed: string;
}

/** Something known of a ticket. */
interface Fact {
  readonly value: unknown;
  /** True where the target says it: of an answer, only what comes later can be compared with it. */
  readonly isGiven: boolean;
}

/**
 * What is known about the tickets of a run, from the target and from answers, so that an answer about the wrong ticket shows (section 2.3):
 * identifier, type, uses allowed, window and holder of a ticket stay as they are.
 */
export class TicketFacts {
  readonly #facts = new Map<string, Map<string, Fact>>();
  readonly #codeOfId = new Map<string, string>();
  /** Names of holders, by ticket code. */
  readonly #names = new Map<string, readonly string[]>();

  /** Takes what the target says about a ticket as known. */
  add({ code, ticketId, usesAllowed, holder, validFrom, validUntil }: TargetTicket): void {
    if (this.#facts.has(code)) return;
    this.#facts.set(code, new Map());
    if (ticketId !== undefined) this.#codeOfId.set(ticketId, code);
    if (holder) this.#learnHolder(code, holder);
    const told = {
      ticketId,
      usesAllowed,
      validFrom,
      validUntil,
      holder: holder && personIn(holder),
    };
    for (const [name, value] of Object.entries(told))
      if (value !== undefined) this.#learn(code, name, { value, isGiven: true });
  }

  /**
   * Takes what an answer says about its ticket as known, where nothing was known before. A value of the wrong type, or the identifier
   * of another ticket, is left out: later answers that are right would differ from it, and would be called wrong.
   */
  learn(about: AnswerAbout): void {
    const { code } = about;
    const { json } = about.answer;
    if (!isRecord(json)) return;
    const { ticketId } = json;
    const owner = typeof ticketId === 'string' ? this.#codeOfId.get(ticketId) : undefined;
    const isForeign = owner !== undefined && owner !== code;
    this.#learnNew(code, typedFactsIn(about, isForeign ? ['ticketId'] : []), json['holder']);
    if (typeof ticketId === 'string' && !isForeign) this.#codeOfId.set(ticketId, code);
  }

  #learnNew(code: string, told: Readonly<Record<string, unknown>>, holder: unknown): void {
    // What the target says of a person stays what is known.
    const isNew = isRecord(told['holder']) && !this.#names.has(code);
    if (isNew && isRecord(holder)) this.#learnHolder(code, holder);
    for (const [name, value] of Object.entries(told))
      if (value !== undefined && !this.#facts.get(code)?.has(name))
        this.#learn(code, name, { value, isGiven: false });
  }

  /** @returns the first thing that an answer says about a ticket and that is not so; undefined where nothing speaks against it */
  wrongIn(about: AnswerAbout): WrongFact | undefined {
    const { code, answer } = about;
    if (!isRecord(answer.json)) return undefined;
    return this.#foreign(code, answer.json) ?? this.#changed(about);
  }

  #foreign(code: string, body: JsonRecord): WrongFact | undefined {
    for (const { path, text } of stringsIn(body)) {
      const owner =
        this.#codeOfId.get(text) ?? (NAMED.test(path) ? this.#ownerOfName(text, code) : undefined);
      if (owner === undefined || owner === code) continue;
      return {
        kind: 'leak',
        fact: path.split('.')[0] ?? path,
        field: path.split('.')[0] ?? path,
        expected: `nothing of another ticket in ${path}`,
        observed: `${path}: ${show(text)}, which belongs to another ticket`,
      };
    }
    return undefined;
  }

  /** What answers say about a ticket may not change from one to the next. */
  #changed(about: AnswerAbout): WrongFact | undefined {
    const known = this.#facts.get(about.code);
    for (const [name, value] of Object.entries(factsIn(about))) {
      const fact = known?.get(name);
      if (value === undefined || fact === undefined || isSameFact(name, fact, value)) continue;
      return {
        kind: 'changed',
        fact: name,
        // A display shows the uses in its text.
        field: isRest(about.endpoint) ? name : 'Note',
        expected: `${name}: ${show(fact.value)}, as ${fact.isGiven ? 'the target says' : 'before'}`,
        observed: `${name}: ${show(value)}`,
      };
    }
    return undefined;
  }

  #learn(code: string, name: string, fact: Fact): void {
    const facts = this.#facts.get(code) ?? new Map<string, Fact>();
    facts.set(name, fact);
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
    // One person may have several tickets: only what is known of this one counts.
    if (this.#facts.get(code)?.has('holder') !== true) return undefined;
    const own = this.#names.get(code) ?? [];
    const words = text.split(/\s+/).filter((word) => word.length >= NAME_LETTERS_MIN);
    const mayBeCut = Buffer.byteLength(text) >= CUT_BYTES_MIN;
    const isOf = (word: string, name: string) =>
      word === name || (mayBeCut && word.length >= CUT_LETTERS_MIN && name.startsWith(word));
    // Names of two words share one with other people.
    const ownWords = own.flatMap((name) => [name, ...name.split(/\s+/)]);
    if (ownWords.includes(text)) return undefined;
    for (const word of words) {
      if (ownWords.some((name) => isOf(word, name))) return undefined;
    }
    for (const [owner, names] of this.#names) {
      if (owner === code) continue;
      if (words.some((word) => names.some((name) => isOf(word, name)))) return owner;
    }
    return undefined;
  }
}

/** What an answer says of its ticket, by the name of the fact; undefined for what it does not say. */
function factsIn({ endpoint, answer }: AnswerAbout): Readonly<Record<string, unknown>> {
  const body = isRecord(answer.json) ? answer.json : {};
  const { ticketId, ticketType, validFrom, validUntil, holder } = body;
  const { outcome, allowed } = read(answer);
  const isGranted = outcome === 'granted';
  return {
    ticketId,
    ticketType,
    usesAllowed: allowed ?? body['usesAllowed'],
    // A refusal shows no window of its own.
    ...(isGranted ? { validFrom, validUntil } : {}),
    ...(isGranted && isRest(endpoint) ? { holder: personIn(holder) } : {}),
  };
}

/** The same without what has the wrong type, and without these. */
function typedFactsIn(
  about: AnswerAbout,
  without: readonly string[],
): Readonly<Record<string, unknown>> {
  const body = isRecord(about.answer.json) ? about.answer.json : {};
  const facts = Object.entries(factsIn(about));
  return Object.fromEntries(
    facts.filter(([name]) => !without.includes(name) && mayTell(body, name)),
  );
}

/** Null when an answer names nobody. */
function personIn(holder: unknown): JsonRecord | null {
  if (!isRecord(holder)) return null;
  return { firstName: holder['firstName'], lastName: holder['lastName'] };
}

function isSameFact(name: string, { value, isGiven }: Fact, seen: unknown): boolean {
  if (name === 'holder') return isSamePerson(value, seen);
  const [told, moment] = [readTimestamp(value), readTimestamp(seen)];
  if (isGiven && told) return moment !== undefined && isNear(moment, told.epochMs, SECOND_MS);
  return isSameValue(value, seen);
}

/** A target may name a part of a person only. */
function isSamePerson(known: unknown, seen: unknown): boolean {
  if (!isRecord(known) || !isRecord(seen)) return isRecord(known) === isRecord(seen);
  return Object.entries(known).every(
    ([name, value]) => value === undefined || value === seen[name],
  );
}
