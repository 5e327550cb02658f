import type { Ticket } from '../../api/types.ts';
import { fieldFromTime, timeFromField } from '../../i18n/formats.ts';

/** What is typed into the form for new tickets. */
/** When a ticket is valid. */
export const WINDOW_FIELDS = ['validFrom', 'validUntil'] as const;

export interface TicketDraft {
  readonly event: string;
  readonly type: 'single' | 'multi' | 'permanent';
  readonly uses: number;
  readonly count: number;
  readonly firstName: string;
  readonly lastName: string;
  /** As `datetime-local` gives it: the viewer's zone; empty for no limit. */
  readonly validFrom: string;
  readonly validUntil: string;
}

export const NEW_TICKET: TicketDraft = {
  event: '',
  type: 'single',
  uses: 10,
  count: 1,
  firstName: '',
  lastName: '',
  validFrom: '',
  validUntil: '',
};

/** The request for a draft: only what was filled in, times with their zone. */
export function requestOf(draft: TicketDraft): object {
  const { event, type, count, uses, firstName, lastName } = draft;
  const named = firstName !== '' || lastName !== '';
  return {
    event,
    type,
    count,
    ...(type === 'multi' && { uses }),
    ...(named && { holder: { firstName, lastName } }),
    ...(draft.validFrom && { validFrom: timeFromField(draft.validFrom) }),
    ...(draft.validUntil && { validUntil: timeFromField(draft.validUntil) }),
  };
}

/** What a stored ticket looks like in the form. */
export function draftOf(ticket: Ticket): TicketDraft {
  return {
    ...NEW_TICKET,
    event: ticket.event,
    type: ticket.kind,
    uses: ticket.usesAllowed,
    firstName: ticket.holder?.firstName ?? '',
    lastName: ticket.holder?.lastName ?? '',
    validFrom: fieldFromTime(ticket.validFrom),
    validUntil: fieldFromTime(ticket.validUntil),
  };
}

/** The request for what is different now: a bound that was not touched keeps its seconds. */
export function changesOf(before: TicketDraft, draft: TicketDraft): object {
  const { firstName, lastName, uses } = draft;
  const isRenamed = firstName !== before.firstName || lastName !== before.lastName;
  const bound = (name: 'validFrom' | 'validUntil') =>
    draft[name] !== before[name] && {
      [name]: draft[name] === '' ? null : timeFromField(draft[name]),
    };
  return {
    ...(isRenamed && { holder: { firstName, lastName } }),
    ...(uses !== before.uses && { uses }),
    ...bound('validFrom'),
    ...bound('validUntil'),
  };
}
