import { useContext, useEffect, useRef, useSyncExternalStore } from 'react';
import { isOpen, type ScanQueue } from './scan-queue.ts';
import { newRetryName, type ScanAttempt } from './scan-requests.ts';
import { RunnerContext } from './scans-provider.tsx';
import type { UnansweredScan } from './unanswered-scans.ts';

export interface Scans {
  /** Newest first. */
  readonly queue: ScanQueue;
  readonly stopWaiting: () => void;
  /** @returns whether the code was taken; text without a character is no code */
  readonly scan: (ticketCode: string) => boolean;
  /** Asks again about a scan that has no decision. */
  readonly retry: (number: number) => void;
  /** Called when another guest may stand there than the one who was answered last. */
  readonly pass: () => void;
}

type ScanOptions = Pick<ScanAttempt, 'key' | 'action'>;

function useRunner() {
  const runner = useContext(RunnerContext);
  if (!runner) throw new Error('scans are for pages behind the sign-in');
  return runner;
}

/** Scans one ticket after the other, and shows what each came to. */
export function useScans({ key, action }: ScanOptions): Scans {
  const runner = useRunner();
  useEffect(() => {
    runner.show(true);
    const onHidden = () => {
      if (document.hidden) runner.pass();
    };
    document.addEventListener('visibilitychange', onHidden);
    return () => {
      document.removeEventListener('visibilitychange', onHidden);
      runner.show(false);
    };
  }, [runner]);
  // An answer to "admit" says nothing about "only check", nor the reverse.
  const shown = useRef(action);
  useEffect(() => {
    if (shown.current !== action) runner.pass();
    shown.current = action;
  }, [runner, action]);
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
    pass: runner.pass,
  };
}

/** How many scans of this tab have no answer yet. */
export function useOpenScans(): number {
  const runner = useRunner();
  return useSyncExternalStore(runner.watch, runner.queue).filter(isOpen).length;
}

/** The scans that had no answer when the scan page was left: how many there are, and how many still wait. */
export function useLeftScans(): { readonly all: number; readonly open: number } {
  const runner = useRunner();
  const queue = useSyncExternalStore(runner.watch, runner.queue);
  const left = useSyncExternalStore(runner.watch, runner.left);
  const open = queue.filter((scan) => isOpen(scan) && left.includes(scan.number));
  return { all: left.length, open: open.length };
}

interface LostScans {
  readonly scans: readonly UnansweredScan[];
  readonly forget: () => void;
}

/** The scans from before a reload or a sign-in that nobody has seen an answer to. */
export function useLostScans(): LostScans {
  const runner = useRunner();
  return { scans: useSyncExternalStore(runner.watch, runner.lost), forget: runner.forgetLost };
}
