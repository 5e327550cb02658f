import { useEffect, useRef, useState } from 'react';
import type { SCAN_STATUSES } from '../../core/outcome-names.ts';
import { ApiFailure, addressOf, BASE_PATH, call, type ScanDone, type Ticket } from '../api/http.ts';
import { recall, remember } from '../i18n/language.tsx';

export interface Scan {
  /** Counts the scans of this tab. */
  readonly number: number;
  readonly at: string;
  readonly attempt: ScanAttempt;
  readonly answer: ScanAnswer;
}

export interface Scans {
  /** Newest first. */
  readonly scans: readonly Scan[];
  readonly pending: boolean;
  /** Seconds until it asks again after a 429; undefined when it does not wait. */
  readonly waitSeconds: number | undefined;
  readonly stopWaiting: () => void;
  readonly scan: (ticketCode: string) => void;
  /** Asks again about the scan whose answer did not come. */
  readonly retry: (scan: Scan) => void;
}

interface ScanOptions {
  /** Null scans as the account that is signed in. */
  readonly key: string | null;
  readonly action: ScanAttempt['action'];
  readonly sound: boolean;
}

const SCANS_KEPT = 10;

/** Scans one ticket after another; a code that comes while one is asked about is not taken. */
export function useScans({ key, action, sound }: ScanOptions): Scans {
  const [scans, setScans] = useState<readonly Scan[]>([]);
  const [pending, setPending] = useState(false);
  const [waitSeconds, setWaitSeconds] = useState<number>();
  const busy = useRef(false);
  const waiting = useRef(new AbortController());
  // Who leaves the page waits no longer.
  useEffect(() => () => waiting.current.abort(), []);
  const ask = async (attempt: ScanAttempt) => {
    if (busy.current) return;
    busy.current = true;
    setPending(true);
    waiting.current = new AbortController();
    const onWait = (ms: number) => setWaitSeconds(Math.ceil(ms / 1000));
    const answer = await scanPatiently(attempt, onWait, waiting.current.signal);
    busy.current = false;
    setPending(false);
    setWaitSeconds(undefined);
    if (sound) playSignal(signalOf(answer));
    const at = new Date().toISOString();
    setScans((before) => {
      const number = (before[0]?.number ?? 0) + 1;
      return [{ number, at, attempt, answer }, ...before].slice(0, SCANS_KEPT);
    });
  };
  const scan = (text: string) => {
    const ticketCode = text.trim();
    if (ticketCode) void ask({ action, key, ticketCode, retryName: newRetryName() });
  };
  const stopWaiting = () => waiting.current.abort();
  return { scans, pending, waitSeconds, stopWaiting, scan, retry: (scan) => void ask(again(scan)) };
}

/** The same attempt: it counts once, also when a use was registered the first time. */
function again({ attempt, answer }: Scan): ScanAttempt {
  return answer.kind === 'unknown' ? { ...attempt, inDoubt: true } : attempt;
}

type Kind = ScanAnswer['kind'];
const NOT_ANSWERED: ReadonlySet<Kind> = new Set<Kind>(['unknown', 'too_many', 'signed_out']);

/** Good opens the gate; unknown is neither. */
export function signalOf(answer: ScanAnswer): Signal {
  if (NOT_ANSWERED.has(answer.kind)) return 'unknown';
  return answer.kind === 'decided' && answer.result.valid ? 'good' : 'bad';
}

/** A guest waits at the gate: after this time the page says that it takes longer. */
const WAIT_MS_MAX = 60_000;
const BACKOFF_FIRST_MS = 250;
const BACKOFF_MAX_MS = 5000;

/**
 * Asks about a ticket; after a 429 waits as long as the server says, and a little longer each time, and asks again.
 * @param onWait called with the waiting time in milliseconds
 * @param stop ends the waiting: the answer is then the 429
 */
async function scanPatiently(
  attempt: ScanAttempt,
  onWait: (ms: number) => void,
  stop: AbortSignal,
): Promise<ScanAnswer> {
  const deadline = performance.now() + WAIT_MS_MAX;
  for (let tries = 0; ; tries += 1) {
    const answer = await scan(attempt);
    if (answer.kind !== 'too_many') return answer;
    const ms = answer.retryAfterMs + backoffMs(tries);
    const isWorthIt = !stop.aborted && performance.now() + ms < deadline;
    if (isWorthIt) {
      onWait(ms);
      await waitFor(ms, stop);
    }
    if (!isWorthIt || stop.aborted) return attempt.inDoubt ? { kind: 'unknown' } : answer;
  }
}

async function scan(attempt: ScanAttempt): Promise<ScanAnswer> {
  const { key, ticketCode } = attempt;
  const answer = await (key === null ? scanAsAccount(attempt) : scanWithKey(attempt, key));
  return CODE_FORM.test(ticketCode) ? answer : withoutCode(answer, ticketCode);
}

const CODE_FORM = /^TS[12]\./iu;

/** A part of an identifier, or the QR code of something else, is no forged ticket. Of a whole identifier the answer says that it is unknown. */
function withoutCode(answer: ScanAnswer, text: string): ScanAnswer {
  if (answer.kind !== 'decided' || answer.result.reason !== 'invalid_ticket') return answer;
  return {
    kind: 'decided',
    result: { ...answer.result, reason: 'missing_ticket_code', searchFor: text },
  };
}

/** Doubles; its random half keeps gates that were refused together from coming back together. */
function backoffMs(tries: number): number {
  const longest = Math.min(BACKOFF_MAX_MS, BACKOFF_FIRST_MS * 2 ** tries);
  return longest * (0.5 + Math.random() / 2);
}

function waitFor(ms: number, stop: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    stop.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

type Signal = 'good' | 'bad' | 'unknown';

/** Frequencies in Hz, one after another: high for good, low and rough for bad. */
const MELODIES: Record<Signal, readonly number[]> = {
  good: [880, 1320],
  bad: [180, 180],
  unknown: [440, 330, 440],
};
const VIBRATIONS_MS: Record<Signal, number[]> = {
  good: [60],
  bad: [200, 80, 200],
  unknown: [100, 80, 100, 80, 100],
};
const TONE_S = 0.14;
const LOUDNESS = 0.25;

let context: AudioContext | undefined;

/** Lets hear (and on a phone, feel) how a scan ended, without looking. Silent where the browser allows no sound. */
function playSignal(signal: Signal): void {
  navigator.vibrate?.(VIBRATIONS_MS[signal]);
  context ??= new AudioContext();
  void context.resume().catch(() => undefined);
  for (const [index, frequency] of MELODIES[signal].entries()) {
    playTone(context, frequency, context.currentTime + index * TONE_S, signal === 'bad');
  }
}

function playTone(on: AudioContext, frequency: number, at: number, rough: boolean): void {
  const tone = new OscillatorNode(on, { frequency, type: rough ? 'sawtooth' : 'sine' });
  const volume = new GainNode(on, { gain: LOUDNESS });
  volume.gain.setTargetAtTime(0, at + TONE_S * 0.6, TONE_S / 8);
  tone.connect(volume).connect(on.destination);
  tone.start(at);
  tone.stop(at + TONE_S);
}

/** The JSON scan result of section 2.3, as far as the page shows it, with what a signed-in account is told besides. */
export interface ScanResult extends Partial<Omit<Ticket, 'holder'>> {
  readonly valid: boolean;
  readonly status: (typeof SCAN_STATUSES)[number];
  readonly reason?: string;
  /** What was typed or scanned, where it is no ticket code. */
  readonly searchFor?: string;
  readonly holder?: Ticket['holder'];
  readonly eventName?: string;
  /** Null when there was none; the answer to a scan with a key does not say it. */
  readonly lastUse?: ScanDone['lastUse'];
}

export type ScanAnswer =
  | { readonly kind: 'decided'; readonly result: ScanResult }
  | { readonly kind: 'key_refused' }
  /** The session has ended, or the phone is paired no more. */
  | { readonly kind: 'signed_out' }
  /** The account may not scan any more. */
  | { readonly kind: 'not_allowed' }
  /** Certain that this request registered no use. */
  | { readonly kind: 'too_many'; readonly retryAfterMs: number }
  /** Nobody knows whether the use was registered. */
  | { readonly kind: 'unknown' };

export interface ScanAttempt {
  readonly action: 'consume' | 'validate';
  /** Null scans as the account that is signed in. */
  readonly key: string | null;
  readonly ticketCode: string;
  /** The same for every attempt at the same scan, so that it counts once. */
  readonly retryName: string;
  /** An earlier request of this attempt may have registered a use. */
  readonly inDoubt?: boolean;
}

const TIMEOUT_MS = 10_000;

/** Asks the scan API (sections 4.1 and 4.2), as any other software would; no session goes with it. Never throws. */
async function scanWithKey(attempt: ScanAttempt, key: string): Promise<ScanAnswer> {
  const ticketCode = await codeFor(attempt.ticketCode);
  if (ticketCode === null)
    return { kind: 'decided', result: { valid: false, status: 'not_found' } };
  const headers = {
    'x-api-key': key,
    ...(attempt.action === 'consume' && { 'idempotency-key': attempt.retryName }),
  };
  const path = `${BASE_PATH}/scan/${attempt.action}`;
  return postScan(path, { credentials: 'omit', headers }, { ticketCode }, answerFrom);
}

async function answerFrom(response: Response): Promise<ScanAnswer> {
  if (response.status === 401) return { kind: 'key_refused' };
  if (response.status === 429) return { kind: 'too_many', retryAfterMs: retryAfterMs(response) };
  const result = (await response.json()) as Partial<ScanResult>;
  if (typeof result.valid !== 'boolean') return { kind: 'unknown' };
  return { kind: 'decided', result: result as ScanResult };
}

/** A whole one. */
const PRINTED_ID = /^tkt_[a-z0-9]{6,10}_[a-z0-9]{20,40}$/;

/**
 * Scans with a key need the code; who is signed in may look it up by the identifier that is printed on the ticket.
 * @returns null when there is no such ticket; the text itself when it is no identifier
 */
async function codeFor(text: string): Promise<string | null> {
  const id = text.replace(/\s/g, '').toLowerCase();
  if (!PRINTED_ID.test(id)) return text;
  try {
    return (await call('GET /tickets/:id', { id })).code;
  } catch (error) {
    return error instanceof ApiFailure && error.status === 404 ? null : text;
  }
}

/** Posts a scan. No answer in time, and one that cannot be read, say nothing about the use. */
async function postScan(
  path: string,
  options: Pick<RequestInit, 'credentials'> & { readonly headers?: Record<string, string> },
  body: unknown,
  answerFrom: (response: Response) => Promise<ScanAnswer>,
): Promise<ScanAnswer> {
  try {
    const response = await fetch(path, {
      ...options,
      method: 'POST',
      signal: AbortSignal.timeout(TIMEOUT_MS),
      headers: { ...options.headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return await answerFrom(response);
  } catch {
    return { kind: 'unknown' };
  }
}

/** How long a 429 wants the page to wait. */
function retryAfterMs(response: Response): number {
  const seconds = Number(response.headers.get('retry-after') ?? 1);
  return (Number.isFinite(seconds) ? seconds : 1) * 1000;
}

/** A name for one scan. Not `randomUUID`: that is missing on pages over plain HTTP. */
function newRetryName(): string {
  return Array.from(crypto.getRandomValues(new Uint32Array(4)), (n) => n.toString(36)).join('-');
}

/** Scans as the account that is signed in. Never throws. */
function scanAsAccount({ action, ticketCode, retryName }: ScanAttempt): Promise<ScanAnswer> {
  const body = { operation: action, ticketCode, requestId: retryName };
  return postScan(addressOf('POST /scans'), { credentials: 'same-origin' }, body, accountAnswer);
}

async function accountAnswer(response: Response): Promise<ScanAnswer> {
  const refused = { valid: false, status: 'rejected', reason: 'invalid_ticket' } as const;
  switch (response.status) {
    case 200:
      return { kind: 'decided', result: resultFrom((await response.json()) as ScanDone) };
    case 401:
      return { kind: 'signed_out' };
    case 403:
      return { kind: 'not_allowed' };
    case 422:
      // It is longer than any code.
      return { kind: 'decided', result: refused };
    case 429:
      return { kind: 'too_many', retryAfterMs: retryAfterMs(response) };
    default:
      return { kind: 'unknown' };
  }
}

function resultFrom({ valid, status, reason, ticket, lastUse }: ScanDone): ScanResult {
  return { valid, status, ...(reason && { reason }), ...ticket, lastUse };
}

const NAME = 'ticketscan.scan-key';

/** The prefix of keys for own software; hardware keys are for devices only. */
const API_KEY = /^tscn_api_[0-9A-Za-z]{38}$/;

/** Whether this may be a key for own software; only the server knows whether it holds. */
export function looksLikeApiKey(text: string): boolean {
  return API_KEY.test(text);
}

/** The key that scans in this tab. It survives a reload of the tab, not its end, and no other tab sees it. */
export function tabKey(): string | undefined {
  return recall(NAME, 'sessionStorage');
}

/** @param key undefined forgets it */
export function setTabKey(key: string | undefined): void {
  remember(NAME, key, 'sessionStorage');
}
