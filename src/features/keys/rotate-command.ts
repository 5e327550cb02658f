import { TicketscanError } from '../../core/errors.ts';
import { overlapEnd } from '../../core/key-terms.ts';
import type { ApiKeyRecord } from '../../core/records.ts';
import { inZone, shownTime } from '../../core/time-zone.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../kit/durations.ts';
import { sanitizeForTerminal } from '../../kit/text.ts';
import { zoneOf } from '../../operations/store-access.ts';
import { type CliIo, note } from '../../terminal/io.ts';
import { readSecretValue } from '../../terminal/options.ts';
import { ask, canAsk, confirm } from '../../terminal/prompts.ts';
import type { DataAccess } from '../data-access.ts';
import { type CommonOptions, dataCommand } from '../data-command.ts';
import { findKey } from './find-key.ts';
import { KEY, showChanged, showValue } from './key-text.ts';
import { changeKey, rotateKey } from './operations.ts';

const UNIT_MS: Readonly<Record<string, number>> = {
  s: 1000,
  m: MINUTE_MS,
  h: HOUR_MS,
  d: DAY_MS,
};

interface RotateOptions extends CommonOptions {
  readonly overlap: string;
}

/** `ticketscan keys rotate`: a new value for the same key. */
export function rotateCommand(io: CliIo) {
  return dataCommand(io, {
    name: 'rotate',
    summary:
      'Give a key a new value and show it, only once; the old value stays valid for a while.',
    argument: KEY,
    options: (command) =>
      command.option(
        '--overlap <duration>',
        'how long the old value stays valid, such as 30m, 24h or 7d; 0 ends it now',
        '24h',
      ),
    yes: true,
    json: 'one JSON object',
    settings: ['baseUrl'],
    check: ({ overlap }) => void overlapFrom(overlap),
    run: (access, options, given) => rotate(io, access, readSecretValue(given, io), options),
  });
}

async function rotate(
  io: CliIo,
  access: DataAccess,
  given: string,
  options: RotateOptions,
): Promise<void> {
  const overlapMs = overlapFrom(options.overlap);
  const { call, clock } = access;
  const before = await findKey(access, given);
  const { id } = before;
  const zone = await zoneOf(access, { keyId: id });
  const answer = await askBefore(io, before, overlapMs, { ...options, now: clock.now(), zone });
  if (answer === 'no') return;
  if (answer === 'prolong') {
    const previousUntil = clock.now() + overlapMs;
    const changed = await call(changeKey, { id, previousUntil });
    showChanged(io, changed, 'changed', options);
    const until = inZone(shownTime(changed.previousUntil ?? previousUntil, zone), zone);
    note(io, `Both of its values stay valid until ${until}.`);
    return;
  }
  const made = await call(rotateKey, { id, overlapSeconds: Math.round(overlapMs / 1000) });
  await showValue(io, access, made, options);
  if (options.json) return;
  note(
    io,
    overlapMs === 0
      ? 'The old value is refused from now on.'
      : `The old value stays valid until ${inZone(shownTime(made.previousUntil ?? 0, zone), zone)}; a value before it is refused from now on.`,
  );
}

/** What stops at once is said before it does: while an overlap runs, the devices may still have the old value. */
async function askBefore(
  io: CliIo,
  key: ApiKeyRecord,
  overlapMs: number,
  options: Pick<RotateOptions, 'yes' | 'json'> & { readonly now: number; readonly zone: string },
): Promise<'rotate' | 'prolong' | 'no'> {
  const name = `"${sanitizeForTerminal(key.name)}" (${key.id})`;
  const end = overlapEnd(key, options.now);
  if (end === undefined || overlapMs === 0) {
    const consequence = `The old value of ${name} is refused at once: devices that have it stay closed.`;
    const goesOn =
      overlapMs > 0 || (await confirm(io, { ...options, consequence, needsYes: false }));
    return goesOn ? 'rotate' : 'no';
  }
  const { now, zone } = options;
  const warning = `The old value of ${name} is valid until ${inZone(shownTime(end, zone), zone)}, after an earlier rotation. A new rotation ends it at once: devices that still have it stay closed.`;
  if (options.yes || options.json || !canAsk(io)) {
    note(io, warning);
    return 'rotate';
  }
  const until = shownTime(now + overlapMs, zone);
  const question = `${warning}\nr: rotate all the same; p: keep both values, and prolong the old one until ${until} [r/p/N] `;
  const answer = (await ask(io, question)).trim().toLowerCase();
  if (answer === 'r' || answer === 'rotate') return 'rotate';
  if (answer === 'p' || answer === 'prolong') return 'prolong';
  note(io, 'Nothing was changed.');
  io.exit(1);
  return 'no';
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
