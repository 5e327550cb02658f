/** What a ticket gets where its row says nothing. */
export const DEFAULTS = {
  kind: 'single',
  uses: undefined,
  window: { validFrom: null, validUntil: null },
  timeZone: 'Europe/Berlin',
} as const;
