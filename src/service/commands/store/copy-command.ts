import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { Command } from 'commander';
import { systemClock } from '../../../config/system-clock.ts';
import { TicketscanError } from '../../../core/errors.ts';
import type { CliIo } from '../../../terminal/io.ts';
import { note } from '../../../terminal/messages.ts';
import { Progress } from '../../../terminal/progress.ts';
import { showTable } from '../../../terminal/table.ts';
import { describeStoreUrl, openCopyTarget, parseStoreUrl } from '../../stores/open-store.ts';
import type { Store } from '../../stores/store.ts';
import { type CopyReport, copyStore } from '../../stores/transfer/copy-store.ts';
import { SECTIONS } from '../../stores/transfer/records.ts';
import { openExistingStore, openOrMakeStore } from '../access/existing-store.ts';
import { keyringPath } from '../access/store-access.ts';

const EXAMPLES = `
Examples:
  ticketscan store copy sqlite:./ticketscan.db postgres://gate@db.example.org/tickets
  ticketscan store copy sqlite:./ticketscan.db json:./ticketscan.json

It copies everything: organisations, events, keys, tickets with their uses, the log, quotas, devices, accounts. The target must be
empty. If it was interrupted, run it again: it resumes where it stopped, if the source has not changed since. A server
can be running on the source, but the copy lacks what it admits meanwhile: stop it before you switch to the copy.`;

/** `ticketscan store copy`: everything from one store into another. */
export function copyCommand(io: CliIo): Command {
  return new Command('copy')
    .description('Copy everything into an empty store of any engine, and compare the two.')
    .argument('<from>', 'URL of a store')
    .argument('<to>', 'URL of an empty store, or of an interrupted copy')
    .option('--json', 'a JSON object with counts and checksums')
    .addHelpText('after', EXAMPLES)
    .action(async (from: string, to: string, options: { json?: boolean }) => {
      refuseSamePlace(from, to);
      const source = await openExistingStore(from);
      try {
        const target = await openOrMakeStore(io, to, openCopyTarget);
        try {
          const report = await copyWithProgress(io, source, target, from);
          show(io, report, from, to, options.json === true);
        } finally {
          await target.close();
        }
      } finally {
        await source.close();
      }
    });
}

function refuseSamePlace(from: string, to: string): void {
  if (parseStoreUrl(to).engine === 'memory') {
    throw new TicketscanError('usage', 'A copy in memory would be lost when this command ends.');
  }
  if (identityOfStore(from) === identityOfStore(to)) {
    throw new TicketscanError('usage', 'Source and target are the same store.');
  }
}

/** The same for two URLs of the same store; without user and password, but with options, which may name a schema. */
function identityOfStore(url: string): string {
  const address = parseStoreUrl(url);
  return 'path' in address ? `${address.engine}:${address.path}` : url.replace(/:\/\/.*@/su, '://');
}

async function copyWithProgress(
  io: CliIo,
  source: Store,
  target: Store,
  from: string,
): Promise<CopyReport> {
  const { counts } = await source.info();
  const total = SECTIONS.reduce((sum, section) => sum + counts[section], 0);
  const progress = new Progress(io, systemClock.monotonicMs);
  const stop = io.stopSignal();
  let phase = '';
  try {
    return await copyStore(source, target, {
      source: hash('sha256', identityOfStore(from)),
      onPage(what, _section, records) {
        if (stop.aborted) throw stoppedCopy();
        if (what !== phase) progress.begin(what, total);
        phase = what;
        progress.update(records);
      },
    });
  } finally {
    progress.clear();
  }
}

function stoppedCopy(): TicketscanError {
  return new TicketscanError(
    'conflict',
    'Stopped. Run the same command again to resume; until then no other command opens the target.',
  );
}

function show(io: CliIo, report: CopyReport, from: string, to: string, json: boolean): void {
  const { resumed, sections } = report;
  if (json) {
    const stores = { from: describeStoreUrl(from), to: describeStoreUrl(to) };
    io.out(JSON.stringify({ ...stores, resumed, equal: true, sections }, null, 2));
  } else {
    const rows = SECTIONS.map((section) => {
      const { records, checksum } = sections[section];
      return [section, String(records), checksum.slice(0, 16)];
    });
    showTable(io, ['section', 'records', 'checksum'], rows);
    note(io, 'Verified: both stores have the same data.');
  }
  const [keyring, wanted] = [keyringPath(from, undefined), keyringPath(to, undefined)];
  if (keyring && wanted && keyring !== wanted && existsSync(keyring) && !existsSync(wanted)) {
    note(
      io,
      `The signing keys are in no store. Copy ${keyring} to ${wanted}, or name it with --keyring.`,
    );
  }
}
