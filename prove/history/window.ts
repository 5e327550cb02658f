import { isUse } from './facts.ts';
import type { Check } from './problem.ts';

/** No use lies outside its ticket's window. */
export const insideTheWindow: Check = ({ startSequence }, { tickets, log }) =>
  log.flatMap((entry) => {
    if (entry.sequence <= startSequence || !isUse(entry)) return [];
    const ticket = tickets.get(entry.ticket);
    if (!ticket) return [];
    const { validFrom, validUntil } = ticket;
    if ((validFrom ?? entry.at) <= entry.at && entry.at <= (validUntil ?? entry.at)) return [];
    const text = `${entry.ticket}: used at ${entry.at}, valid from ${validFrom} until ${validUntil}`;
    return [{ rule: 'inside-the-window', text }];
  });
