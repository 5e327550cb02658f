import type { Answer, SeenRequest } from '../http.ts';

/** What a request says about the card and the device; undefined for what is not there. */
export interface CardFacts {
  readonly code: string | undefined;
  /** The code as it was sent, before any decoding. */
  readonly raw?: string | undefined;
  readonly serial?: unknown;
  readonly reader?: unknown;
}

/** What an admission says. */
export interface GrantFacts {
  readonly name: string;
  readonly note: string;
  readonly relay: 0 | 1;
  readonly seconds: number;
  /** How often the ticket was used, with this admission; 1 when it is left out. */
  readonly used?: number;
  /** How many uses it allows; 10 when it is left out. */
  readonly allowed?: number;
}

/** Every way to refuse a ticket or a request. */
export const DENIALS = [
  'exhausted',
  'forged',
  'expired',
  'notYetValid',
  'unknown',
  'outOfScope',
  'refusedKey',
  'unreadable',
  'limited',
  'failed',
] as const;
export type DenialKind = (typeof DENIALS)[number];

/** The features of a format, which decide what can be judged. */
export interface FormatFeatures {
  /** The answer says which relay. */
  readonly relay: boolean;
  /** The answer says for how long. */
  readonly seconds: boolean;
  /** A grant has a name for a display. */
  readonly name: boolean;
  /** A grant has a note for a display. */
  readonly note: boolean;
  /** Heartbeats are sent at intervals. */
  readonly heartbeat: boolean;
  /** A heartbeat says who sends it. */
  readonly heartbeatSerial: boolean;
  /** A card says who sends it. */
  readonly serial: boolean;
  /** A card says which reader it was held in front of. */
  readonly reader: boolean;
  /** Cards and heartbeats have the members of sections 2.4 and 4.5, with their types. */
  readonly controllerFields: boolean;
}

/** What the decision of an admission is changed to, while the rest of the answer stays. */
export type Alteration = 'denied' | 'missing' | 'odd' | 'longer' | 'nested' | 'true';

/** What a request is; undefined for what the format does not know. */
type RequestKind = 'card' | 'heartbeat' | undefined;

/** The source of a format that was read from a device file. */
export interface FromFile {
  /** The options that choose it: `--device-file gatex.yaml`. */
  readonly options: string;
  /** For the report: title and proof. */
  readonly about: string;
  /** What the file says of the device's setup, where nothing else is given; milliseconds. */
  readonly setup: { readonly waitTimeMs?: number; readonly heartbeatMs?: number };
  /** Which addresses the device calls. */
  readonly calls: { readonly paths: boolean; readonly card: boolean; readonly heart: boolean };
}

/** How one model of device, or client software, speaks. */
export interface Format {
  readonly id: string;
  readonly features: FormatFeatures;
  /** Undefined for the known models. */
  readonly file?: FromFile | undefined;
  /** Whether a request presents a card, well or badly, or is a heartbeat. */
  kindOf(request: SeenRequest): RequestKind;
  /** What a request with a card carries; undefined when it is not of this format. */
  read(request: SeenRequest): CardFacts | undefined;
  /** The serial in a heartbeat. */
  heartbeatSerial(request: SeenRequest): unknown;
  /** Method and path of this kind of request, as the setup has them. */
  readonly addresses: { readonly card: string; readonly heartbeat: string };
  /** Whether a request of this kind went there. */
  isAtAddress(request: SeenRequest): boolean;
  /** The keys in the target of a request: one, where it is right. */
  keysIn(request: SeenRequest, key: string): string[];
  /** The answer to a request that no scene answers; undefined for one about a card. */
  aside(request: SeenRequest): Answer | undefined;
  grant(facts: GrantFacts, request: SeenRequest): Answer;
  denial(kind: DenialKind, request: SeenRequest): Answer;
  /** An admission that was changed so that it is not one; undefined where the format does not define that. */
  altered(grant: Answer, alteration: Alteration): Answer | undefined;
  /** True for an answer that the server never sends, and that a correct device may still take for an admission. */
  mayAdmit(answer: Answer): boolean;
  /** What is left of the texts of a grant in its answer. */
  shown(text: { readonly name: string; readonly note: string }): { name: string; note: string };
  /** The text that a denial puts on the display or screen; empty where the format has none. */
  textOf(kind: DenialKind): string;
  /** The member of an answer that decides, and its value in an admission; undefined where it is not one member. */
  readonly decision?: readonly [member: string, admits: unknown] | undefined;
  /** `IN` or `OUT` for a relay as the device names it; another name stays. */
  relayOf(name: string): string;
}

/** An empty request, for answers that repeat parts of the request. */
export const NO_REQUEST: SeenRequest = {
  atMs: 0,
  wallMs: 0,
  place: 'server',
  method: 'POST',
  target: '/',
  headers: [],
  body: '',
  secure: false,
};

const RELAYS: Readonly<Record<string, string>> = { '0': 'IN', '1': 'OUT' };

/** The relays of section 2.4. */
export function relayOf(name: string): string {
  return RELAYS[name] ?? name.toUpperCase();
}
