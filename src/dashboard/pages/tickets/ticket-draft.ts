/** What is typed into the form for new tickets. */
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
    ...(draft.validFrom && { validFrom: new Date(draft.validFrom).toISOString() }),
    ...(draft.validUntil && { validUntil: new Date(draft.validUntil).toISOString() }),
  };
}
