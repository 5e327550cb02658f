import { useEffect, useRef, useState } from 'react';
import {
  newRetryName,
  type ScanAnswer,
  type ScanAttempt,
  scanAsAccount,
  scanWithKey,
} from './scan-ticket.ts';

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

const NOT_ANSWERED: ReadonlySet<ScanAnswer['kind']> = new Set([
  'unknown',
  'too_many',
  'signed_out',
]);

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
