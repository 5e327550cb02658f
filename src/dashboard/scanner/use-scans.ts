import { useEffect, useRef, useState } from 'react';
import { scanPatiently } from './scan-patiently.ts';
import { newRetryName, type ScanAnswer, type ScanAttempt } from './scan-ticket.ts';
import { playSignal, type Signal } from './sound.ts';

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
