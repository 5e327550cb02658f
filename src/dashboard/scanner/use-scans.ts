import { useContext, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { heldIn, isOpen, type Scan, type ScanQueue } from './scan-queue.ts';
import { newRetryName, type ScanAttempt } from './scan-requests.ts';
import { RunnerContext } from './scans-provider.tsx';
import type { ScanMode } from './tab-settings.ts';
import type { UnansweredScan } from './unanswered-scans.ts';

export interface Scans {
  /** Newest first. */
  readonly queue: ScanQueue;
  readonly stopWaiting: () => void;
  /** @returns whether the code was taken; text without a character is no code */
  readonly scan: (ticketCode: string) => boolean;
  /** Goes on after a person has seen the answer that is held. */
  readonly release: () => void;
  /** Lets in the ticket of the open question, and takes this many uses of it. */
  readonly letIn: (question: Scan, uses: number) => void;
  /** Asks again about a scan that has no decision. */
  readonly retry: (number: number) => void;
  /** Called when another guest may stand there than the one who was answered last. */
  readonly pass: () => void;
}

interface ScanOptions extends Pick<ScanAttempt, 'key'> {
  readonly mode: ScanMode;
  /** How many uses the next scan takes. */
  readonly uses: number;
}

function useRunner() {
  const runner = useContext(RunnerContext);
  if (!runner) throw new Error('scans are for pages behind the sign-in');
  return runner;
}

/** Scans one ticket after the other, and shows what each came to. */
export function useScans({ key, mode, uses }: ScanOptions): Scans {
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
  const shown = useRef(mode);
  useEffect(() => {
    if (shown.current !== mode) runner.pass();
    shown.current = mode;
  }, [runner, mode]);
  const queue = useSyncExternalStore(runner.watch, runner.queue);
  const scan = (text: string) => {
    const ticketCode = text.trim();
    if (ticketCode === '') return false;
    const attempt = { key, ticketCode, retryName: newRetryName() };
    if (mode === 'ask') return runner.read({ ...attempt, action: 'validate', asks: true });
    // What is written on a ticket is for those who let in: nothing waits for it here.
    const wayOut = { action: 'consume', direction: 'out', isSeen: true } as const;
    if (mode === 'out') return runner.read({ ...attempt, ...wayOut });
    return runner.read({
      ...attempt,
      action: mode,
      ...(mode === 'consume' && severalOf(uses)),
    });
  };
  const letIn = ({ attempt: { ticketCode } }: Scan, taken: number) =>
    runner.letIn({
      action: 'consume',
      key,
      ticketCode,
      retryName: newRetryName(),
      isSeen: true,
      ...severalOf(taken),
    });
  return {
    queue,
    scan,
    release: runner.release,
    letIn,
    stopWaiting: () => runner.stopWaiting(),
    retry: (number) => runner.retry(number),
    pass: runner.pass,
  };
}

function severalOf(uses: number): Pick<ScanAttempt, 'uses'> {
  return uses > 1 ? { uses } : {};
}

/** A scan that a person asks for without a code, and what came of it. */
export interface ScanByHand {
  /** Undefined before it was asked for. */
  readonly scan: Scan | undefined;
  readonly queue: ScanQueue;
  readonly ask: (action: ScanAttempt['action'], uses: number) => void;
  readonly retry: (number: number) => void;
}

/** Scans the ticket with this id as the signed-in account, marked in the log as done by hand. */
export function useScanByHand(ticketId: string): ScanByHand {
  const runner = useRunner();
  const queue = useSyncExternalStore(runner.watch, runner.queue);
  const [number, setNumber] = useState<number>();
  const ask = (action: ScanAttempt['action'], uses: number) => {
    const attempt = { action, key: null, ticketCode: ticketId, retryName: newRetryName() };
    // Whoever acts here has turned to this guest.
    runner.endQuestion();
    runner.read({ ...attempt, byHand: true, isSeen: true, ...severalOf(uses) });
    setNumber(runner.queue()[0]?.number);
  };
  const retry = (of: number) => {
    runner.retry(of);
    setNumber(runner.queue()[0]?.number);
  };
  return { scan: queue.find((scan) => scan.number === number), queue, ask, retry };
}

/** How many scans of this tab have no answer yet. */
export function useOpenScans(): number {
  const runner = useRunner();
  return useSyncExternalStore(runner.watch, runner.queue).filter(isOpen).length;
}

interface LeftScans {
  readonly all: number;
  /** How many still wait. */
  readonly open: number;
  /** Whether they wait until a person has seen an answer on the scan page. */
  readonly isHeld: boolean;
}

/** The scans that had no answer when the scan page was left. */
export function useLeftScans(): LeftScans {
  const runner = useRunner();
  const queue = useSyncExternalStore(runner.watch, runner.queue);
  const left = useSyncExternalStore(runner.watch, runner.left);
  const open = queue.filter((scan) => isOpen(scan) && left.includes(scan.number));
  return { all: left.length, open: open.length, isHeld: heldIn(queue) !== undefined };
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
