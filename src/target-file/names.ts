/** Tickets that every target file names, in the order in which they are shown. */
export const TARGET_TICKETS = [
  'single',
  'multi',
  'permanent',
  'personalised',
  'windowed',
  'exhausted',
  'cancelled',
  'notYetValid',
  'expired',
  'otherEvent',
  'unknown',
] as const;

/** Further tickets: a check that lacks them is complete all the same. */
export const FURTHER_TICKETS = [
  'otherOrganisation',
  'permanentEnded',
  'openEnd',
  'openStart',
  'hundred',
  'otherEventCancelled',
  'otherEventExpired',
] as const;

/** Keys that every target file names. */
export const TARGET_KEYS = [
  'rest',
  'restScoped',
  'hardware',
  'hardwareScoped',
  'disabled',
  'hardwareDisabled',
  'deleted',
  'hardwareDeleted',
] as const;

/** Further keys: a check that lacks them is complete all the same. */
export const FURTHER_KEYS = [
  'quotaExhausted',
  'hardwareQuotaExhausted',
  'spare',
  'hardwareSpare',
] as const;
