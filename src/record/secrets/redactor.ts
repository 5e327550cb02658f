import { createHmac } from 'node:crypto';
import { contentOf, encodeChunk, headerOf, isChunked } from '../../kit/http1.ts';
import {
  type FileDevices,
  identify,
  keyInDevicePath,
  type RecognisedDevice,
  type Sender,
} from '../device-files/senders.ts';
import type { RawExchange, RawMessage } from '../proxy/proxied-connection.ts';
import { deviceBody, type StoredExchange, type StoredMessage, storeBytes } from '../recording.ts';
import { percentEncoded, type Substitution, substitute } from './disguises.ts';
import { findKeys } from './key-finder.ts';
import { fromForm } from './named-values.ts';
import { placeholderBytes, showPlaceholders } from './placeholders.ts';

const TICKET_CODE = /(?<![A-Za-z0-9])[A-Za-z0-9]+\.tkt_[a-z0-9_]+\.[A-Za-z0-9_-]+/g;
const BASE64_RUN = /[A-Za-z0-9+/_-]{8,}={0,2}/g;
/** Fields with the presented code, in any model. */
const CODE_MEMBER_NAME = /card|code|ticket|qr|barcode|uid|credential|identifier/i;
const TEXT_MEMBER = /"([a-z_-]{1,64})"\s*:\s*"((?:[^"\\]|\\.){3,256})"/gi;
const NOTHING = Buffer.alloc(0);
/** How many secrets and spellings are looked for everywhere, the newest; each older one is hidden only where it was found. */
const SECRETS_MAX = 2000;
const SECRETS_OF_A_MESSAGE_MAX = 200;

type Kept = Pick<RawMessage, 'head' | 'body' | 'note'>;

interface KeptBody {
  readonly bytes: Buffer;
  readonly isKept: boolean;
  readonly note?: string;
}

/** Removes secrets from exchanges before they are stored. */
export class Redactor {
  readonly #pseudonyms: Pseudonyms | undefined;
  /** Labels of the keys seen so far. Texts are Latin-1. */
  readonly #labels = new Map<string, string>();
  /** The replacement of each encoding of a key. */
  readonly #substitutions = new Map<string, Substitution>();

  readonly #devices: FileDevices | undefined;

  /**
   * @param salt of the replaced ticket codes; undefined keeps the codes
   * @param devices that are known beside the models
   */
  constructor(salt: Uint8Array | undefined, devices?: FileDevices) {
    this.#pseudonyms = salt && new Pseudonyms(salt);
    this.#devices = devices;
  }

  /** The exchange without keys, and without ticket codes on request. */
  redact(raw: RawExchange): StoredExchange {
    const { request, response } = raw;
    const content = contentOf(request.head, request.body);
    const device = this.#devices?.recognise(request.head, content);
    const sender = device ? senderOf(device) : identify(request.head, deviceBody(content));
    const pathKey = device && keyInDevicePath(request.head);
    const messages = {
      request: this.#learnKeys(request, pathKey),
      response: this.#learnKeys(response),
    };
    const codes = this.#codeSubstitutions(sender.ticketCode, messages.request, messages.response);
    const keys = new Set<string>();
    const stored = (message: Kept) => this.#store(message, codes, keys);
    return {
      number: raw.number,
      connection: raw.connection,
      atMs: round(raw.atMs),
      durationMs: round(raw.durationMs),
      model: sender.model,
      request: stored(messages.request),
      response: response.isEmpty ? null : stored(messages.response),
      ...(raw.failure === undefined ? {} : { failure: raw.failure }),
      keys: [...keys],
    };
  }

  /**
   * @param pathKey as it stands in the path of a known device, whatever it looks like
   * @returns the storable part of the message: nothing if it has too many secrets to search for
   */
  #learnKeys(message: RawMessage, pathKey?: string): Kept {
    const { head, body } = message;
    const found = findKeys(head, contentOf(head, body).toString('latin1'));
    if (pathKey !== undefined) found.push({ key: fromForm(pathKey), spelling: pathKey });
    if (new Set(found.map(({ spelling }) => spelling)).size > SECRETS_OF_A_MESSAGE_MAX) {
      const note = `not kept: it seems to contain more than ${SECRETS_OF_A_MESSAGE_MAX} secrets`;
      return { head: '', body: NOTHING, note };
    }
    for (const { key, spelling } of found) {
      const label = this.#labels.get(key) ?? `key-${this.#labels.size + 1}`;
      this.#labels.set(key, label);
      const to = placeholderBytes(label);
      this.#learn({ from: key, to });
      if (spelling !== key) {
        this.#learn({ from: spelling, to: spelling.includes('%') ? percentEncoded(to) : to });
      }
    }
    return message;
  }

  #learn(substitution: Substitution): void {
    const { from } = substitution;
    this.#substitutions.delete(from);
    this.#substitutions.set(from, substitution);
    const [oldest] = this.#substitutions.keys();
    if (this.#substitutions.size > SECRETS_MAX && oldest !== undefined) {
      this.#substitutions.delete(oldest);
    }
  }

  #codeSubstitutions(ticketCode: string | undefined, ...messages: Kept[]): Substitution[] {
    const pseudonyms = this.#pseudonyms;
    if (!pseudonyms) return [];
    const codes = new Set(ticketCode === undefined ? [] : [asLatin1(ticketCode)]);
    for (const message of messages)
      for (const code of codesIn(message, ticketCode !== undefined)) codes.add(code);
    return [...codes].flatMap((from) => {
      const id = pseudonyms.ticketIdOf(from);
      return [{ from, to: pseudonyms.of(from) }, ...(id ? [id] : [])];
    });
  }

  #store(message: Kept, codes: readonly Substitution[], used: Set<string>): StoredMessage {
    const body = this.#body(message, codes, used);
    const head = showPlaceholders(this.#hide(substitute(message.head, codes), used));
    const notes = [message.note, body.note].filter((one) => one !== undefined);
    const whole = message.note === undefined && body.isKept;
    const stored = { head, body: storeBytes(body.bytes), whole };
    return notes.length === 0 ? stored : { ...stored, note: notes.join('; ') };
  }

  #body({ head, body }: Kept, codes: readonly Substitution[], used: Set<string>): KeptBody {
    const encoding = headerOf(head, 'content-encoding') ?? 'identity';
    if (encoding !== 'identity' && body.length > 0) {
      return {
        bytes: NOTHING,
        isKept: false,
        note: `the ${encoding} body is not kept: it could hide a key`,
      };
    }
    const before = contentOf(head, body).toString('latin1');
    const after = this.#hide(substitute(before, codes), used);
    if (after === before) return { bytes: body, isKept: true };
    const bytes = Buffer.from(after, 'latin1');
    if (!isChunked(head)) return { bytes, isKept: true };
    const note = 'its chunks were joined to hide a secret';
    return { bytes: encodeChunk(bytes), isKept: true, note };
  }

  /** The text without keys; the labels of those that were in it go to `used`. */
  #hide(text: string, used: Set<string>): string {
    return substitute(text, [...this.#substitutions.values()], (one) => used.add(labelIn(one)));
  }
}

function senderOf({ model, read }: RecognisedDevice): Sender {
  return { model, ticketCode: read.kind === 'scan' ? read.scan.ticketCode : undefined };
}

/** The decoded text, if this is Base64 of text. */
function plainText(value: string): string {
  const content = Buffer.from(value, 'base64');
  const isBase64 =
    content.toString('base64').replace(/={1,2}$/, '') === value.replace(/={1,2}$/, '');
  return isBase64 && /^[\x20-\x7e]{3,}$/.test(content.toString('latin1'))
    ? content.toString('latin1')
    : value;
}

/**
 * Codes that show by their form and, where the model does not say where the code is, by the name of their field.
 * Latin-1.
 */
function codesIn({ head, body }: Kept, isKnown: boolean): string[] {
  const text = head + contentOf(head, body).toString('latin1');
  const hidden = (text.match(BASE64_RUN) ?? []).map((piece) =>
    Buffer.from(piece, 'base64').toString('latin1'),
  );
  const named = isKnown
    ? []
    : [...text.matchAll(TEXT_MEMBER)].flatMap(([, name = '', value = '']) =>
        CODE_MEMBER_NAME.test(name) ? [plainText(value)] : [],
      );
  return [...hidden, text].flatMap((one) => one.match(TICKET_CODE) ?? []).concat(named);
}

const labelIn = ({ to }: Substitution) => /key-\d+/.exec(to)?.[0] ?? '';
const asLatin1 = (text: string) => Buffer.from(text).toString('latin1');
const round = (ms: number) => Math.round(ms * 1000) / 1000;

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
