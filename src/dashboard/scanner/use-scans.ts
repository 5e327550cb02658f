import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { tellSessionEnded } from '../api/session.ts';
import type { ScanQueue } from './scan-queue.ts';
import { askAbout, newRetryName, type ScanAttempt } from './scan-requests.ts';
import { ScanRunner, waitFor } from './scan-runner.ts';
import { playSignal } from './signals.ts';

export interface Scans {
  /** Newest first. */
  readonly queue: ScanQueue;
  readonly stopWaiting: () => void;
  /** @returns whether the code was taken; text without a character is no code */
  readonly scan: (ticketCode: string) => boolean;
  /** Asks again about a scan that has no decision. */
  readonly retry: (number: number) => void;
}

interface ScanOptions {
  /** Null scans as the account that is signed in. */
  readonly key: string | null;
  readonly action: ScanAttempt['action'];
  readonly sound: boolean;
}

/** Scans one ticket after the other, as long as the page is open. */
export function useScans({ key, action, sound }: ScanOptions): Scans {
  const isLoud = useRef(sound);
  isLoud.current = sound;
  const [runner] = useState(
    () =>
      new ScanRunner({
        ask: askAndTell,
        wait: waitFor,
        now: () => performance.now(),
        onSignal: (signal) => {
          if (isLoud.current) playSignal(signal);
        },
      }),
  );
  useEffect(() => {
    runner.open();
    return () => runner.close();
  }, [runner]);
  const queue = useSyncExternalStore(runner.watch, runner.queue);
  const scan = (text: string) => {
    const ticketCode = text.trim();
    return ticketCode !== '' && runner.read({ action, key, ticketCode, retryName: newRetryName() });
  };
  return {
    queue,
    scan,
    stopWaiting: () => runner.stopWaiting(),
    retry: (number) => runner.retry(number),
  };
}

/** Asks; the other tabs hear of it when the session has ended. */
async function askAndTell(attempt: ScanAttempt) {
  const answer = await askAbout(attempt);
  if (answer.kind === 'signed_out') tellSessionEnded();
  return answer;
}
