import type { WireAnswer, WireRoute } from '../wire.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Section 2.4: the display has room for 16 bytes of Name and 32 bytes of Note. */
export const NAME_BYTES = 16;
export const NOTE_BYTES = 32;

/** What a device knows when it builds a request. */
export interface RequestFacts {
  readonly serial: string;
  readonly reader: number;
  /** Counts up by one for each card that is posted. */
  readonly index: number;
  /** What the device's own clock shows; it may be wrong. */
  readonly clockMs: number;
}

export interface WireBody {
  /** Empty for a request without a body. */
  readonly contentType: string;
  readonly body: string;
  readonly route?: WireRoute;
}

/** What a device shows, as a person reads it. */
export interface Display {
  readonly name: string;
  readonly note: string;
}

/** What a device understands of an answer to a card. */
export interface CardReading extends Display {
  /** Undefined when the answer means nothing to the device. */
  readonly granted: boolean | undefined;
  /** Which relay to switch, named as the device names it. */
  readonly relay: string | undefined;
  /** How long the relay stays on; undefined where the device's own setting counts. */
  readonly openSeconds: number | undefined;
  /** Where the answer differs from what the model's documentation promises. */
  readonly deviations: readonly string[];
}

export const BLANK: Display = { name: '', note: '' };

/** What the display shows of an answer: its texts, truncated as the hardware does. */
export function displayOf({ name, note }: Display): Display {
  return { name: shown(name, NAME_BYTES), note: shown(note, NOTE_BYTES) };
}

/** One device model: pure translation between a card and bytes. */
export interface DeviceModel {
  readonly id: string;
  /** The usual Wait Time, in units of 0.1 second. */
  readonly defaultWaitTime: number;
  cardBody(code: string, facts: RequestFacts): WireBody;
  readCardAnswer(answer: WireAnswer): CardReading;
  /** Models without a heartbeat of their own have none of these. */
  readonly heart: Heart | undefined;
  /** The report after a grant; absent in models that send none. */
  readonly passage?: ((turnedBack: boolean, facts: RequestFacts) => WireBody) | undefined;
  /** The other side of the wire, for the server that the simulator brings along. */
  readonly standIn: StandInModel;
}

export interface StandInModel {
  /** The code that a body in this model's format carries; undefined when the body is another model's. */
  codeOf(body: string): string | undefined;
  /** The reader index in such a body; absent in models that have none. */
  readonly readerOf?: (body: string) => string;
  answer(verdict: Verdict): string;
}

/** What a stand-in server decided of a card. */
export interface Verdict {
  readonly status: number;
  readonly granted: boolean;
  readonly name: string;
  readonly note: string;
  /** The relay of a grant; IN when absent. */
  readonly out?: boolean;
}

export interface Heart {
  readonly defaultEveryMs: number;
  body(facts: RequestFacts): WireBody;
  /** Undefined when the answer confirms the contact, else what is wrong with it. */
  fault(answer: WireAnswer, facts: RequestFacts): string | undefined;
}

/** A reading of an answer that means nothing to the device. */
export function unreadable(deviation: string): CardReading {
  return {
    granted: undefined,
    relay: undefined,
    openSeconds: undefined,
    name: '',
    note: '',
    deviations: [deviation],
  };
}

/**
 * What remains of `text` on a display with room for `bytes` bytes. The display cuts bytes, not letters:
 * a letter that is cut in two shows as a replacement character, as on the real thing.
 */
function shown(text: string, bytes: number): string {
  // Most texts are short: three bytes a UTF-16 unit is the longest that UTF-8 needs.
  if (text.length * 3 <= bytes) return text;
  const encoded = encoder.encode(text);
  return encoded.length <= bytes ? text : decoder.decode(encoded.subarray(0, bytes));
}

export function bytesOf(text: string): number {
  return Buffer.byteLength(text, 'utf8');
}

/** Base64 of the UTF-8 bytes of `text`. */
export function toBase64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64');
}

/** Damages Base64 as a bad line does: characters outside the alphabet, and an end that is missing. */
export function corruptBase64(base64: string): string {
  const middle = base64.length >> 1;
  return `${base64.slice(0, middle)}*#${base64.slice(middle + 2, -3)}`;
}
