/** The answer of both empty routes: what a consume answers. */
export const SAMPLE_ANSWER = {
  valid: true,
  status: 'consumed',
  message: 'Ticket consumed',
  ticketId: 'tkt_abcdef_0123456789abcdefghij',
  ticketType: 'multi',
  usesAllowed: 9999,
  usesConsumed: 17,
  usesRemaining: 9982,
  validFrom: null,
  validUntil: null,
  scannedAt: '2026-11-21T09:27:17.546Z',
};
