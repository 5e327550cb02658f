import { counted } from '../../../kit/text.ts';
import { isOptional, KEY_NAMES, type Target, TICKET_KINDS } from '../../target/target.ts';
import type { TicketPool } from './tickets.ts';

interface Facts {
  readonly target: Target;
  readonly consent: boolean;
  readonly heartbeats: boolean;
  readonly pool: TicketPool;
  readonly limited: number;
}

/** What a reader of the result should know: above all, what could not be tried. */
export function notesOf({ target, consent, heartbeats, pool, limited }: Facts): string[] {
  const notes: string[] = [];
  if (!consent) {
    notes.push(
      'No usable ticket was consumed, so most faults of histories cannot show: --consume allows it.',
    );
  }
  const keys = KEY_NAMES.filter((name) => target.keys[name] === undefined && !isOptional(name));
  const kinds = TICKET_KINDS.filter((kind) => pool.count(kind) === 0 && !isOptional(kind));
  if (keys.length > 0)
    notes.push(`Not tried, because the target has no such key: ${keys.join(', ')}.`);
  if (kinds.length > 0)
    notes.push(`Not tried, because the target has no such ticket: ${kinds.join(', ')}.`);
  if (target.keys.hardware !== undefined && !heartbeats)
    notes.push('No heartbeat was answered, so none was sent after the first two.');
  const used = pool.usedBefore();
  if (used > 0) {
    notes.push(
      `${counted(used, 'ticket that the target calls unused was', 'tickets that the target calls unused were')} used up before. New tickets show more.`,
    );
  }
  if (limited > 0)
    notes.push(
      `${counted(limited, 'answer')} said that a rate limit was exceeded; each was waited for.`,
    );
  return notes;
}
