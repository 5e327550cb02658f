import { useRef, useState } from 'react';
import { newRetryName, type ScanAnswer, type ScanAttempt, scanTicket } from './scan-ticket.ts';
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
  readonly scan: (ticketCode: string) => void;
  /** Asks again about the scan whose answer did not come. */
  readonly retry: (attempt: ScanAttempt) => void;
}

interface ScanOptions {
  readonly key: string;
  readonly action: ScanAttempt['action'];
  readonly sound: boolean;
}

const SCANS_KEPT = 10;

/** Scans one ticket after another; a code that comes while one is asked about is not taken. */
export function useScans({ key, action, sound }: ScanOptions): Scans {
  const [scans, setScans] = useState<readonly Scan[]>([]);
  const [pending, setPending] = useState(false);
  const busy = useRef(false);
  const ask = async (attempt: ScanAttempt) => {
    if (busy.current) return;
    busy.current = true;
    setPending(true);
    const answer = await scanTicket(attempt);
    busy.current = false;
    setPending(false);
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
  return { scans, pending, scan, retry: (attempt) => void ask(attempt) };
}

/** Good opens the gate; unknown is neither. */
export function signalOf(answer: ScanAnswer): Signal {
  if (answer.kind === 'unknown' || answer.kind === 'too_many') return 'unknown';
  return answer.kind === 'decided' && answer.result.valid ? 'good' : 'bad';
}
