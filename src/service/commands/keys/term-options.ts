import { type Command, Option } from 'commander';
import { EXIT_RULES, type ExitRule } from '../../../core/direction.ts';
import type { ApiKeyChanges } from '../../../core/records.ts';
import { forOption } from '../../../terminal/for-option.ts';
import { parseDateTime } from '../../../tickets/lists/date-time.ts';
import { parseReaders } from '../../manage/key-checks.ts';

export interface TermOptions {
  readonly readers?: string;
  readonly onExit?: ExitRule;
  readonly expires?: string;
}

/** Until when a key holds, and which way its readers point. @param isNew false for a key that keeps what is not given */
export function addTermOptions(command: Command, isNew: boolean): Command {
  return command
    .option(
      '--readers <directions>',
      'hardware: which way each reader points, such as 0=in,1=out; * is all others, none takes it back',
    )
    .addOption(
      new Option(
        '--on-exit <rule>',
        `hardware: what a read outwards does: take a use, check only, or open for everybody who came in${isNew ? ' (default: consume)' : ''}`,
      ).choices(EXIT_RULES),
    )
    .option('--expires <time>', 'refuse the key from then on, such as 2027-09-30; or never');
}

/** @throws TicketscanError `usage` */
export function termsGiven({
  readers,
  onExit,
  expires,
}: TermOptions): Pick<ApiKeyChanges, 'readers' | 'onExit' | 'expiresAt'> {
  return {
    ...(readers !== undefined && { readers: parseReaders(readers) }),
    ...(onExit !== undefined && { onExit }),
    ...(expires !== undefined && { expiresAt: expires === 'never' ? null : timeFrom(expires) }),
  };
}

function timeFrom(text: string): number {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  return forOption('--expires', () => parseDateTime(text, 'until', timeZone));
}
