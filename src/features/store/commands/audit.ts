import { counted } from '../../../kit/text.ts';
import type { VerifyReport } from '../../../stores/store.ts';
import { plainCommand } from '../../../terminal/command.ts';
import { readSettings } from '../../../terminal/options.ts';
import { withElapsed } from '../../../terminal/progress.ts';
import { showResult } from '../../../terminal/results.ts';
import { withStore } from '../../data-access.ts';
import { requireExistingStore, STORE_SETTINGS } from '../opening.ts';

const EXAMPLES = `
Examples:
  ticketscan audit
  ticketscan audit --store sqlite:/var/lib/gate.db --json

Exit code 0 when every invariant holds, 1 when one does not. A server can be running on the store.`;

/** `ticketscan audit`: counters equal the log, no ticket is over its uses. */
export const command = plainCommand({
  name: 'audit',
  summary: "Prove a store's invariants: counters equal the log, no ticket was used too often.",
  json: '{"ok", "tickets", "scans", "problems"}',
  help: EXAMPLES,
  settings: STORE_SETTINGS,
  run: async (io, options) => {
    requireExistingStore(readSettings(STORE_SETTINGS, options, io).store);
    await withStore(io, options, async ({ local: { store } }) => {
      const report = await withElapsed(io, 'auditing', () => store.verify());
      const { tickets, scans, problems } = report;
      const ok = problems.length === 0;
      showResult(io, options, { ok, tickets, scans, problems }, asText(report));
      io.exit(ok ? 0 : 1);
    });
  },
});

function asText({ tickets, scans, problems }: VerifyReport): string[] {
  const verdict = problems.length === 0 ? 'Sound' : 'NOT SOUND';
  const summary = `${verdict}: ${counted(tickets, 'ticket')}, ${counted(scans, 'scan')}, ${counted(problems.length, 'problem')}.`;
  return [...problems, summary];
}
