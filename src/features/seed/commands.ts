import { randomBytes } from 'node:crypto';
import { ADDRESS_SETTINGS } from '../../config/settings.ts';
import { TicketscanError } from '../../core/errors.ts';
import { DEFAULT_LIMITS } from '../../core/limits.ts';
import { withoutEndSlashes } from '../../kit/base-address.ts';
import { fileFailure } from '../../kit/failures.ts';
import { checkResultFile, writeResult } from '../../kit/result-files.ts';
import { type CommonOptions, plainCommand } from '../../terminal/command.ts';
import { type CliIo, note } from '../../terminal/io.ts';
import { FORCE, positiveNumberFor, readSettings, wholeNumberFor } from '../../terminal/options.ts';
import { withElapsed } from '../../terminal/progress.ts';
import { confirm } from '../../terminal/prompts.ts';
import { administrationOn } from '../administration.ts';
import { withStore } from '../data-access.ts';
import { limitsFrom } from '../organisations/commands.ts';
import { addressOfService } from '../server/rules.ts';
import { STORE_SETTINGS } from '../store/opening.ts';
import { holdsOnlySamples, type Seeded, seed } from './rules.ts';

const EXAMPLES = `
Examples:
  ticketscan seed --out target.json                       40 tickets in each state, in ./ticketscan.db
  ticketscan seed --count 10000 --rate 1000000 --burst 1000000 --quota 1000000000 --out load.json
  ticketscan seed --base-url https://scan.example.org --out target.json

The target file contains keys and codes and is readable by you only. "ticketscan check" and "ticketscan simulate" use it.`;

/** `ticketscan seed`: sample data in every state, and a target file that names it. */
export const command = plainCommand({
  name: 'seed',
  summary: 'Create an organisation with events, keys and tickets in every state.',
  options: (command) =>
    command
      .option('--out <file>', 'write a target file')
      .option(...FORCE)
      .option('--count <number>', 'tickets in each state', wholeNumberFor('--count'), 40)
      .option(
        '--rate <number>',
        `requests a second per key (default: ${DEFAULT_LIMITS.ratePerSecond})`,
        positiveNumberFor('--rate'),
      )
      .option(
        '--burst <number>',
        `requests at once per key (default: ${DEFAULT_LIMITS.burst})`,
        wholeNumberFor('--burst'),
      )
      .option(
        '--quota <number>',
        `requests a month per key (default: ${DEFAULT_LIMITS.quotaPerMonth})`,
        wholeNumberFor('--quota'),
      ),
  yes: 'even into a store that has other data',
  json: 'the target file on stdout',
  help: EXAMPLES,
  settings: [...STORE_SETTINGS, 'baseUrl'],
  // The keys of a sample that was made already would be lost.
  check: ({ out, force }) => {
    if (out !== undefined) forOut(out, () => checkResultFile(out, { force }));
  },
  run: async (io, options) => {
    // A wrong address is refused before anything is made.
    readSettings(ADDRESS_SETTINGS, options, io);
    await withStore(
      io,
      options,
      async ({ local }) => {
        const consequence =
          'The store holds data that seed did not make; the sample comes beside it.';
        const isAlone = await holdsOnlySamples(local.store);
        if (!isAlone && !(await confirm(io, { ...options, consequence, needsYes: true }))) return;
        const administration = administrationOn(local);
        const keyring = await local.keyring();
        const deps = { ...local, administration, keyring, random: randomBytes };
        const wanted = {
          ticketsPerState: options.count,
          limits: { ...DEFAULT_LIMITS, ...limitsFrom(options) },
          forCheck: true,
        };
        const baseUrl = await addressOfService(io, options, local.store);
        const seeded = await withElapsed(io, 'creating the sample', () => seed(deps, wanted));
        report(io, seeded, baseUrl, options);
      },
      { mayMake: true },
    );
  },
});

function report(
  io: CliIo,
  seeded: Seeded,
  baseUrl: string,
  options: CommonOptions & {
    readonly out?: string;
    readonly force?: boolean;
    readonly count: number;
  },
): void {
  const { keys, described: tickets, limits } = seeded;
  const file = {
    baseUrl: withoutEndSlashes(baseUrl),
    keys,
    tickets,
    limits,
  };
  const target = `${JSON.stringify(file, null, 2)}\n`;
  const { out } = options;
  if (out !== undefined) forOut(out, () => writeResult(out, target, options));
  if (options.json) {
    io.out(target.trimEnd());
    return;
  }
  io.out(
    `Created "${seeded.organisation}": events ${seeded.events.main} and ${seeded.events.other}, 8 keys,`,
  );
  io.out(
    `${options.count} tickets in each of 11 states, and for "ticketscan check" at most 40 in each of`,
  );
  io.out('7 more, and a second organisation with 2 keys that have no requests left this month.');
  if (options.out === undefined) {
    note(io, 'The keys were not saved: add --out FILE to get a target file with keys and codes.');
  } else {
    io.out(`Keys and codes are in ${options.out}. Next: ticketscan serve`);
  }
}

function forOut(path: string, work: () => void): void {
  try {
    work();
  } catch (error) {
    throw new TicketscanError('usage', `--out ${path} cannot be written: ${fileFailure(error)}.`);
  }
}
