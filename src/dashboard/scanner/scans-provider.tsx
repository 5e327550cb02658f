/**
 * The scans of a tab belong to the session, not to the scan page: whoever goes to another page loses no code that still waits. Only the
 * end of the session or of the tab ends them; the browser asks before the one, and the sign-in says it after the other.
 */
import { useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useEffect, useState, useSyncExternalStore } from 'react';
import { tellSessionEnded } from '../api/session.ts';
import { useSession } from '../api/use-api.tsx';
import { forgetDropped, noteDropped } from './dropped-scans.ts';
import { isOpen } from './scan-queue.ts';
import { askAbout, type ScanAttempt } from './scan-requests.ts';
import { ScanRunner, waitFor } from './scan-runner.ts';
import { playSignal } from './signals.ts';
import { keptHold, keptSound, keptUnanswered } from './tab-settings.ts';
import { UnansweredScans } from './unanswered-scans.ts';

export const RunnerContext = createContext<ScanRunner | undefined>(undefined);

/** Keeps the scans of the session for everything below it. */
export function ScansProvider({ children }: { children: ReactNode }) {
  const client = useQueryClient();
  const { account, phone } = useSession();
  const sound = keptSound(phone !== null);
  const [runner] = useState(
    () =>
      new ScanRunner({
        unanswered: new UnansweredScans(account.id, keptUnanswered, Date.now),
        ask: async (attempt) => {
          const answer = await askAndTell(attempt);
          // What other pages know of the log is from before this scan.
          void client.invalidateQueries({ queryKey: ['log'] });
          return answer;
        },
        wait: waitFor,
        now: () => performance.now(),
        holdsMarks: keptHold(phone !== null).read,
        onSignal: (signal) => {
          if (sound.read()) playSignal(signal);
        },
      }),
  );
  useEffect(() => {
    forgetDropped();
    runner.open();
    return () => noteDropped(runner.close());
  }, [runner]);
  const isWaiting = useSyncExternalStore(runner.watch, runner.queue).some(isOpen);
  useEffect(() => (isWaiting ? askBeforeLeaving() : undefined), [isWaiting]);
  return <RunnerContext value={runner}>{children}</RunnerContext>;
}

/** Lets the browser ask whether the tab may close or load anew. @returns what stops it */
function askBeforeLeaving(): () => void {
  const onLeave = (event: BeforeUnloadEvent) => event.preventDefault();
  window.addEventListener('beforeunload', onLeave);
  return () => window.removeEventListener('beforeunload', onLeave);
}

/** Asks; the other tabs hear of it when the session has ended. */
async function askAndTell(attempt: ScanAttempt) {
  const answer = await askAbout(attempt);
  if (answer.kind === 'signed_out') tellSessionEnded('expired');
  return answer;
}
