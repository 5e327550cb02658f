import { type Command, Option } from 'commander';
import { parseDateTime } from '../../../core/date-time.ts';
import { EXIT_RULES, type ExitRule } from '../../../core/direction.ts';
import { TicketscanError } from '../../../core/errors.ts';
import { forOption } from '../../../terminal/option-values.ts';
import { type GivenTerms, parseReaders } from '../../manage/key-checks.ts';

export interface TermOptions {
  readonly readers?: string;
  readonly onExit?: ExitRule;
  readonly expires?: string;
  readonly device?: string;
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
    .option(
      '--device <name>',
      'hardware: the device file that is asked first, by its name (serve --device-file); none takes it back',
    )
    .option('--expires <time>', 'refuse the key from then on, such as 2027-09-30; or never');
}

/** @param zone of a time without one @throws TicketscanError `usage` */
export function termsGiven(
  { readers, onExit, expires, device }: TermOptions,
  zone: string,
): GivenTerms {
  return {
    ...(readers !== undefined && { readers: parseReaders(readers) }),
    ...(onExit !== undefined && { onExit }),
    ...(device !== undefined && { device: deviceFrom(device) }),
    ...(expires !== undefined && {
      expiresAt: expires === 'never' ? null : timeFrom(expires, zone),
    }),
  };
}

function deviceFrom(text: string): string {
  if (text.trim() !== '') return text === 'none' ? '' : text;
  throw new TicketscanError(
    'usage',
    '--device needs the name of a device file, such as control-id. To take it back, write none.',
  );
}

function timeFrom(text: string, zone: string): number {
  return forOption('--expires', () => parseDateTime(text, 'until', zone));
}
