import { createHash } from 'node:crypto';
import type { ConnectionRefusal } from '../../kit/refused-connections.ts';
import type { SeenRequest } from './http.ts';
import type { Observation } from './observer.ts';

/** `device` is hardware at the endpoints for hardware, `client` is own software at the REST endpoints. */
export type SubjectKind = 'device' | 'client';

/** What is known of the device or client beforehand, and how patient the judge is. */
export interface DeviceSettings {
  /** How long it waits for an answer, milliseconds: the Wait Time of a controller. */
  readonly waitTimeMs: number;
  /** The time between two heartbeats, milliseconds, as it is set. */
  readonly heartbeatMs: number;
  /** What the door does when no answer comes: `secure` stays shut, `safe` opens. */
  readonly failMode: 'secure' | 'safe';
  /** How long after an answer a reaction may take. */
  readonly reactionMs: number;
  /** The same card is not posted again within this time. */
  readonly antiRepeatMs: number;
  /** For how many seconds the two timed grants open the door. */
  readonly openSeconds: readonly [number, number];
  /** The time from power on until cards are read. */
  readonly bootMs: number;
}

/** As a controller is usually set up. */
export const DEFAULT_SETTINGS: DeviceSettings = {
  waitTimeMs: 3000,
  heartbeatMs: 5000,
  failMode: 'secure',
  reactionMs: 1500,
  antiRepeatMs: 1000,
  openSeconds: [2, 6],
  bootMs: 3000,
};

/** One card that was presented, and what was seen. */
export interface Presentation {
  readonly code: string;
  readonly presentedAtMs: number;
  readonly seen: Observation;
}

/** Whether a person saw the door open without a card in one part of the session. */
interface Between {
  /** How many cards had been presented at its end. */
  readonly codes: number;
  /** `between card 1 and card 12` */
  readonly when: string;
  readonly opened?: boolean | undefined;
}

/** A moment at which the judge went on after it had stood still. */
interface OwnDelay {
  /** Milliseconds since the session began. */
  readonly atMs: number;
  /** For how long it did nothing. */
  readonly ms: number;
}

/**
 * Everything that a session saw. It is plain JSON, so that a session can be interrupted and resumed, and the cases are judged from it alone.
 */
export interface SessionRecord {
  readonly version: 2;
  /** The setup, so that nothing has to be typed again. */
  readonly key: string;
  /** 0 until the server listens. */
  port: number;
  readonly kind: SubjectKind;
  model: string | undefined;
  /** Scenes that are over. */
  played: string[];
  /** Scenes that could not be played, and why. */
  readonly omitted: Record<string, string>;
  readonly presentations: Record<string, Presentation>;
  /** Every request of the session, in the order of their arrival. */
  requests: SeenRequest[];
  /** Moments, in milliseconds since the session began. */
  readonly marks: Record<string, number>;
  /** When the door opened although nothing was presented. */
  strayOpenings: number[];
  /** When the door opened once more after it had closed, in the same presentation. */
  reopenings: number[];
  /** What a person said of the time between the presentations. */
  betweenScenes: readonly Between[];
  /** What arrived and was not HTTP. */
  readonly broken: string[];
  /** How often each reason kept a connection from becoming a request; absent where none did, and in older sessions. */
  refused?: { [Reason in ConnectionRefusal]?: number };
  /** When the judge itself stood still; absent where it did not, and in older sessions. */
  delays?: readonly OwnDelay[];
  elapsedMs: number;
}

/** The record of a session that begins. */
export function newRecord(kind: SubjectKind, key: string): SessionRecord {
  return {
    version: 2,
    key,
    port: 0,
    kind,
    model: undefined,
    played: [],
    omitted: {},
    presentations: {},
    requests: [],
    marks: {},
    strayOpenings: [],
    reopenings: [],
    betweenScenes: [],
    broken: [],
    elapsedMs: 0,
  };
}

/** More than any session presents; a printed sheet has them all. */
export const CODES_MAX = 48;
const EVENT_ID = 'check12345';
const EVENT_ID_CHARACTERS_MIN = 6;
const ID_CHARACTERS = 20;
const SIGNATURE_CHARACTERS = 22;

/**
 * The codes that a session presents, in their order; the last is as long as a code of this service gets, with an Ed25519
 * signature. They look like tickets, but no service admits them. Their lengths differ, so that Base64 needs every padding.
 * @param key of the session, which makes them its own
 */
export function sessionCodes(key: string): string[] {
  return Array.from({ length: CODES_MAX }, (_none, index) => {
    const isLong = index === CODES_MAX - 1;
    const digest = createHash(isLong ? 'sha512' : 'sha256')
      .update(`${key} code ${index}`)
      .digest();
    const id = BigInt(`0x${digest.toString('hex')}`)
      .toString(36)
      .slice(0, ID_CHARACTERS);
    const signature = digest.toString('base64url');
    if (isLong) return `TS2.tkt_${EVENT_ID}_${id}.${signature}`;
    const eventId = EVENT_ID.slice(0, EVENT_ID_CHARACTERS_MIN + (index % 5));
    return `TS1.tkt_${eventId}_${id}.${signature.slice(0, SIGNATURE_CHARACTERS)}`;
  });
}
