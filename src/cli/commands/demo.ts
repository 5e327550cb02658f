import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { openOrMakeStore } from '../../service/commands/access/existing-store.ts';
import { type CliIo, stopped } from '../../terminal/io.ts';
import { Demo } from '../demo/demo.ts';

const EXAMPLES = `
Examples:
  ticketscan demo                on a free port, until Ctrl-C
  ticketscan demo --once         ends after the run
  ticketscan demo --port 8080

Everything is real: the store, the images, the turnstile's requests, the check. The data is in a temporary folder that the
first lines name. You can delete it afterwards.`;

interface DemoOptions {
  readonly port: string;
  readonly once?: boolean;
}

/** `ticketscan demo`: from nothing to an open door, then a server to try things on. */
export function command(io: CliIo): Command {
  return new Command('demo')
    .description(
      'Sample data, a server with its dashboard, tickets as QR images, a turnstile that reads one and opens.',
    )
    .option('--port <number>', 'TCP port; 0 picks a free one', '0')
    .option('--once', 'end after the run instead of serving')
    .addHelpText('after', EXAMPLES)
    .action((options: DemoOptions) => runDemo(io, options));
}

async function runDemo(io: CliIo, { port, once }: DemoOptions): Promise<void> {
  const stop = io.stopSignal();
  const folder = await mkdtemp(join(tmpdir(), 'ticketscan-demo-'));
  const storeUrl = `sqlite:${join(folder, 'ticketscan.db')}`;
  const store = await openOrMakeStore(io, storeUrl);
  try {
    const demo = await Demo.start(io, { store, storeUrl, folder }, port);
    try {
      io.exit((await demo.run()) ? 0 : 1);
      if (once) return;
      await demo.whereToGoNext();
      await stopped(stop);
    } finally {
      await demo.close();
    }
  } finally {
    await store.close();
  }
}
