import type { Answer } from '../wire/answer.ts';
import type { SeenRequest } from '../wire/seen-request.ts';

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

/** What a format has, and so what can be judged of it. */
interface FormatFeatures {
  /** The answer says which relay, and for how long. */
  readonly relay: boolean;
  /** The answer has texts for a display. */
  readonly display: boolean;
  readonly heartbeat: boolean;
  /** The request says who sends it. */
  readonly serial: boolean;
}

/** How one model of device, or client software, speaks. */
export interface Format {
  readonly id: string;
  readonly features: FormatFeatures;
  /** What a body in this format carries; undefined when the body is of another format. */
  read(body: string): CardFacts | undefined;
  grant(facts: GrantFacts, request: SeenRequest): Answer;
  denial(kind: DenialKind): Answer;
  /** The text that a denial puts on the display or screen; empty where the format has none. */
  textOf(kind: DenialKind): string;
}

/** Sections 7.1 and 5: the HTTP status of each refusal. */
export const STATUS_OF: Readonly<Record<DenialKind, number>> = {
  exhausted: 200,
  forged: 200,
  expired: 200,
  notYetValid: 200,
  unknown: 404,
  outOfScope: 403,
  refusedKey: 401,
  unreadable: 400,
  limited: 429,
  failed: 500,
};

/** An answer of JSON. */
export function jsonAnswer(status: number, value: object): Answer {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) };
}
