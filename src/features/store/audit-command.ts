import { Command } from 'commander';
import { counted } from '../../kit/text.ts';
import { requireExistingStore, STORE_SETTINGS, withStore } from '../../operations/store-access.ts';
import type { VerifyReport } from '../../stores/store.ts';
import type { CliIo } from '../../terminal/io.ts';
import { addSettings, readSettings } from '../../terminal/options.ts';
import { withElapsed } from '../../terminal/progress.ts';
import { showResult } from '../../terminal/results.ts';

const EXAMPLES = `
Examples:
  ticketscan audit
  ticketscan audit --store sqlite:/var/lib/gate.db --json

Exit code 0 when every invariant holds, 1 when one does not. A server can be running on the store.`;

/** `ticketscan audit`: counters equal the log, no ticket is over its uses. */
export function command(io: CliIo): Command {
  const audit = new Command('audit')
    .description(
      "Prove a store's invariants: counters equal the log, no ticket was used too often.",
    )
    .option('--json', '{"ok", "tickets", "scans", "problems"}')
    .addHelpText('after', EXAMPLES)
    .action(async (options: { json?: boolean }) => {
      requireExistingStore(readSettings(STORE_SETTINGS, { ...options }, io).store);
      await withStore(io, options, async ({ store }) => {
        const report = await withElapsed(io, 'auditing', () => store.verify());
        const { tickets, scans, problems } = report;
        const ok = problems.length === 0;
        showResult(io, options, { ok, tickets, scans, problems }, asText(report));
        io.exit(ok ? 0 : 1);
      });
    });
  return addSettings(audit, STORE_SETTINGS);
}

function asText({ tickets, scans, problems }: VerifyReport): string[] {
  const verdict = problems.length === 0 ? 'Sound' : 'NOT SOUND';
  const summary = `${verdict}: ${counted(tickets, 'ticket')}, ${counted(scans, 'scan')}, ${counted(problems.length, 'problem')}.`;
  return [...problems, summary];
}
