import type { Verdict } from '../models/device-model.ts';

/** A ticket of the stand-in service. Times are milliseconds since 1970 UTC; undefined is no bound. */
export interface StandInTicket {
  readonly usesAllowed: number;
  usesConsumed: number;
  readonly holder?: string | undefined;
  cancelled: boolean;
  readonly validFrom?: number | undefined;
  readonly validUntil?: number | undefined;
  /** True when the key at hand has no access to the ticket's event. */
  readonly otherEvent: boolean;
}

export function aTicket(facts: Partial<StandInTicket> = {}): StandInTicket {
  return { usesAllowed: 1, usesConsumed: 0, cancelled: false, otherEvent: false, ...facts };
}

export function denial(note: string, status = 200): Verdict {
  return { status, granted: false, name: '', note };
}

export const EXIT_RULES = ['consume', 'validate', 'open'] as const;
export type ExitRule = (typeof EXIT_RULES)[number];

/** The outcome of a scan outwards: `open` lets everybody out who came in, and spends nothing. */
export function judgeExit(ticket: StandInTicket, rule: ExitRule, wallMs: number): Verdict {
  if (rule !== 'open') return { ...judge(ticket, rule === 'consume', wallMs), out: true };
  if (ticket.otherEvent) return denial('Kein Zugriff', 403);
  return ticket.usesConsumed === 0 ? denial('Noch nicht benutzt') : { ...grant(ticket), out: true };
}

/** The outcome of a scan; on success a use is registered when it is to be consumed. */
export function judge(ticket: StandInTicket, consume: boolean, wallMs: number): Verdict {
  if (ticket.otherEvent) return denial('Kein Zugriff', 403);
  if (ticket.cancelled) return denial('Ticket storniert');
  if (wallMs < (ticket.validFrom ?? wallMs)) return denial('Noch nicht gültig');
  if (wallMs > (ticket.validUntil ?? wallMs)) return denial('Ticket abgelaufen');
  if (ticket.usesConsumed >= ticket.usesAllowed) return denial('Ticket erschöpft');
  if (consume) ticket.usesConsumed += 1;
  return grant(ticket);
}

function grant(ticket: StandInTicket): Verdict {
  const note = `Ticket gültig (${ticket.usesConsumed}/${ticket.usesAllowed})`;
  return { status: 200, granted: true, name: ticket.holder ?? kindOf(ticket), note };
}

function kindOf({ usesAllowed }: StandInTicket): string {
  if (usesAllowed === 1) return 'Einzelticket';
  return usesAllowed === 9999 ? 'Dauerkarte' : 'Mehrfachkarte';
}
