import { Command } from 'commander';
import { TicketscanError } from '../../../core/errors.ts';
import { confirm } from '../../../terminal/confirm.ts';
import type { CliIo } from '../../../terminal/io.ts';
import { shownTime } from '../../../terminal/local-time.ts';
import { note } from '../../../terminal/messages.ts';
import { readSecretValue } from '../../../terminal/secret-value.ts';
import { addSettings, readSettings } from '../../../terminal/setting-options.ts';
import { deviceUrls } from '../../http/scan-paths.ts';
import { DATA_SETTINGS, withData } from '../access/data-access.ts';
import { namesOf } from '../access/names.ts';
import { ADDRESS_SETTINGS, baseUrlFrom } from '../serve/addresses.ts';
import { KEY_ARGUMENT, showValue } from './key-view.ts';

const UNIT_MS: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

interface RotateOptions {
  readonly overlap: string;
  readonly yes?: boolean;
  readonly json?: boolean;
}

/** `ticketscan keys rotate`: a new value for the same key. */
export function rotateCommand(io: CliIo): Command {
  const command = new Command('rotate')
    .description(
      'Give a key a new value and show it, only once; the old value stays valid for a while.',
    )
    .argument('<key>', KEY_ARGUMENT)
    .option(
      '--overlap <duration>',
      'how long the old value stays valid, such as 30m, 24h or 7d; 0 ends it now',
      '24h',
    )
    .option('--yes', 'do not ask on a terminal')
    .option('--json', 'one JSON object')
    .action(async (key: string, options: RotateOptions) => {
      const overlapMs = overlapFrom(options.overlap);
      const consequence = 'The old value is refused at once: its devices stay closed.';
      if (overlapMs === 0 && !(await confirm(io, { ...options, consequence, needsYes: false }))) {
        return;
      }
      await rotate(io, readSecretValue(key, io), overlapMs, options);
    });
  return addSettings(command, [...DATA_SETTINGS, 'baseUrl']);
}

async function rotate(
  io: CliIo,
  given: string,
  overlapMs: number,
  options: RotateOptions,
): Promise<void> {
  const settings = readSettings(ADDRESS_SETTINGS, { ...options }, io);
  await withData(io, { ...options }, async ({ store, administration, url }) => {
    const { key, value } = await administration.rotateKey(given, overlapMs);
    const base = settings.baseUrl ?? url ?? baseUrlFrom(settings);
    const events = namesOf(await store.listEvents());
    showValue(
      io,
      key,
      { value, events, ...deviceUrls(key.type, value, base, key.device) },
      options,
    );
    if (options.json) return;
    note(
      io,
      overlapMs === 0
        ? 'The old value is refused from now on.'
        : `The old value stays valid until ${shownTime(key.previousUntil)}; a value before it is refused from now on.`,
    );
  });
}

/** @throws TicketscanError `usage` */
function overlapFrom(text: string): number {
  const [, digits, unit] = /^(\d+(?:\.\d+)?)([smhd])$/.exec(text.trim()) ?? [];
  if (text.trim() === '0') return 0;
  const factor = UNIT_MS[unit ?? ''];
  if (digits !== undefined && factor !== undefined) return Number(digits) * factor;
  throw new TicketscanError(
    'usage',
    `--overlap must be a duration such as 30m, 24h or 7d, or 0; not "${text}".`,
  );
}
