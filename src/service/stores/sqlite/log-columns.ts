/** Of `scan_log`, in the order in which entries are written. */
export const LOG_TABLE_COLUMNS = `sequence, at, api_key, serial, reader, action, status, reason, ticket, ticket_text, excerpt,
  uses_consumed, replayed, direction, done`;
