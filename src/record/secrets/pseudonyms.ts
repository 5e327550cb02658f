import { createHmac } from 'node:crypto';

const CLASSES = ['0123456789', 'abcdefghijklmnopqrstuvwxyz', 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
/** A code begins with its format and its event, which say nothing about its holder. */
const PUBLIC_START = /^(?:[A-Za-z0-9]+\.)?tkt_[a-z0-9]+_/;
const TICKET_ID = /tkt_[a-z0-9]+_[a-z0-9]+/;
const TRIES_MAX = 1000;

/**
 * Stand-ins for ticket codes: of the same length, with letters for letters and digits for digits, the same for the
 * same code as long as this object lives, and without a way back for those who do not have its salt.
 */
export class Pseudonyms {
  readonly #salt: Uint8Array;
  readonly #known = new Map<string, string>();
  readonly #taken = new Set<string>();

  constructor(salt: Uint8Array) {
    this.#salt = salt;
  }

  of(code: string): string {
    const known = this.#known.get(code);
    if (known !== undefined) return known;
    const made = this.#make(code);
    this.#known.set(code, made);
    this.#taken.add(made);
    return made;
  }

  /** The ticket identifier in a code and in its replacement; undefined if it has none. */
  ticketIdOf(code: string): { readonly from: string; readonly to: string } | undefined {
    const from = TICKET_ID.exec(code)?.[0];
    const to = TICKET_ID.exec(this.of(code))?.[0];
    return from === undefined || to === undefined ? undefined : { from, to };
  }

  #make(code: string): string {
    for (let attempt = 0; attempt < TRIES_MAX; attempt += 1) {
      const made = this.#spell(code, attempt);
      if (made !== code && !this.#taken.has(made)) return made;
    }
    return '?'.repeat(code.length);
  }

  #spell(code: string, attempt: number): string {
    const start = PUBLIC_START.exec(code)?.[0] ?? '';
    // The identifier is replaced separately, so that codes and bare identifiers of one ticket get the same replacement.
    const parts = code.slice(start.length).split('.');
    return (
      start + parts.map((part, index) => this.#spellPart(part, `${attempt} ${index}`)).join('.')
    );
  }

  #spellPart(part: string, label: string): string {
    const bytes = this.#stream(`${label} ${part}`, part.length);
    return [...part]
      .map((character, index) => {
        const alphabet = CLASSES.find((one) => one.includes(character));
        return alphabet?.[(bytes[index] ?? 0) % alphabet.length] ?? character;
      })
      .join('');
  }

  #stream(label: string, length: number): Buffer {
    const blocks: Buffer[] = [];
    for (let block = 0; block * 32 < length; block += 1) {
      blocks.push(createHmac('sha256', this.#salt).update(`${block} ${label}`).digest());
    }
    return Buffer.concat(blocks);
  }
}
