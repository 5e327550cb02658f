import { TicketscanError } from '../core/errors.ts';
import { ask, canAsk } from './ask.ts';
import type { CliIo } from './io.ts';
import { note } from './messages.ts';

/** An act that cannot be undone, or is very large. */
interface Act {
  /** What happens, as a sentence: `Every ticket that it signed is refused from now on.` */
  readonly consequence: string;
  /** `--yes` */
  readonly yes?: boolean | undefined;
  /** `--json`: a program reads the answer, so nobody is asked. */
  readonly json?: boolean | undefined;
  /** Whether `--yes` is needed where nobody can be asked. */
  readonly needsYes: boolean;
}

/**
 * Asks a person on a terminal before an act. Elsewhere the act goes on, or needs `--yes`.
 * @returns false when the answer is no; the exit code is then 1
 * @throws TicketscanError `usage` where nobody can be asked and `--yes` is missing
 */
export async function confirm(
  io: CliIo,
  { consequence, yes, json, needsYes }: Act,
): Promise<boolean> {
  if (yes) return true;
  if (json || !canAsk(io)) {
    if (!needsYes) return true;
    throw new TicketscanError('usage', `${consequence} Add --yes to do it. Nothing was changed.`);
  }
  const answer = await ask(io, `${consequence} Go on? [y/N] `);
  if (/^(?:y|yes)$/i.test(answer.trim())) return true;
  note(io, 'Nothing was changed.');
  io.exit(1);
  return false;
}
