import type { ErrorReason } from '../../core/error-reasons.ts';

/** Kinds of refusals without a reason of their own. */
type GeneralCode =
  | 'usage'
  | 'invalid_request'
  | 'not_found'
  | 'conflict'
  | 'limit_reached'
  | 'not_allowed'
  | 'too_many_attempts'
  | 'busy'
  | 'store_busy'
  | 'store_unavailable'
  | 'internal';

/** Every `code` of an answer of the admin API. */
type AnswerCode = ErrorReason | GeneralCode;

type Values = Readonly<Record<string, string | number>>;

/** What a person reads for each code; `values` are those of the answer. */
export type ReasonTexts = Readonly<Record<AnswerCode, string | ((values: Values) => string)>>;

/** Why the server refused something, in the words of the page. */
export const englishReasons: ReasonTexts = {
  usage: 'The server refused the input.',
  invalid_request: ({ field, max }) =>
    `${field ? `“${field}” is` : 'The input is'} not valid.${max ? ` At most ${max} are allowed.` : ''}`,
  not_found: 'This does not exist, or was deleted.',
  conflict: 'This conflicts with existing data. Reload the page, then try again.',
  limit_reached: 'A limit is reached.',
  not_allowed: 'You may not do this.',
  too_many_attempts: ({ seconds }) => `Too many attempts. Try again in ${seconds} seconds.`,
  busy: ({ seconds }) => `The server is busy. Try again in ${seconds} seconds.`,
  store_busy: 'The data is in use by another program. Try again.',
  store_unavailable: 'The data cannot be reached. Try again; the server’s log has the reason.',
  internal: 'An error occurred on the server. The server’s log has the reason.',

  name_invalid: ({ max }) => `A name has 1 to ${max} characters and no control characters.`,
  name_secret: 'A name must not contain an API key or a token: names are shown and logged.',
  name_taken: 'This name is taken. Choose another.',
  unknown_time_zone: ({ name }) => `“${name}” is not a time zone, such as Europe/Berlin.`,
  unknown_sheet: 'This paper format does not exist.',
  code_too_small: 'On this paper the QR codes would be too small. Choose a larger one.',
  own_lines: ({ lines, characters }) =>
    `A ticket has at most ${lines} own lines of at most ${characters} characters.`,
  logo_not_png: 'The logo is not a PNG file. Save it as PNG.',
  logo_too_large: ({ kibibytes, pixels }) =>
    `The logo is too large: at most ${kibibytes} KiB and ${pixels} × ${pixels} pixels.`,
  logo_damaged: 'The logo is damaged or incomplete. Save it again as PNG.',
  no_logo: 'There is no logo.',

  account_name_spaces: 'A name must not begin or end with a space.',
  account_name_invisible: 'A name must not contain invisible characters.',
  account_name_taken: 'This name is taken or reserved.',
  accounts_max: ({ max }) => `There are ${max} accounts already, the maximum. Delete one first.`,
  access_tokens_max: ({ max }) => `You have ${max} tokens already, the maximum. Delete one first.`,
  last_owner: 'This is the last owner. Give another account the role owner first.',
  password_length: ({ min, max }) => `A password has ${min} to ${max} characters.`,
  password_wrong: 'The current password is wrong.',
  own_password: 'You change your own password on the page “Settings”.',
  token_role: 'A token cannot have a higher role than your account.',
  sign_in_first: 'Please sign in first.',
  role_missing: 'Your role does not allow this. An owner can change your role.',
  other_site: 'The request came from another site. Open the page at its own address.',
  session_needed: 'Sign in with a password to do this; an access token is not enough.',
  sign_in_refused: 'Account or password is wrong.',
  events_of_scanners: 'Only an account with the role scanner can be limited to selected events.',

  pairings_max: ({ max }) =>
    `At most ${max} QR codes for phones can be open at a time. Wait two minutes.`,
  phones_max: ({ max }) => `An account has at most ${max} phones. Remove one first.`,
  webhook_url: ({ max }) =>
    `The address must begin with https:// and have at most ${max} characters.`,
  webhook_url_parts:
    'The address must have no user name, no password and no #. Messages are signed instead.',
  webhook_address: ({ host }) =>
    `${host} is a private address or the server’s own. The operator of the service can allow its network.`,
  webhook_events: 'Choose at least one event.',
  phone_not_asked: 'No phone has scanned the QR code yet.',
  phone_account:
    'A phone scans for your own account. An owner can also choose an account with the role scanner.',
  pairing_ended: 'This code is no longer valid. Choose “Show a new code”.',
  pairing_code:
    'This code has expired or was used already. Show a new one on the dashboard, and scan it.',

  keys_max: ({ max, command }) =>
    `There are ${max} API keys already, the maximum. Delete one first; the operator of the service raises the number with: ${command}`,
  keys_max_raisable: ({ max }) =>
    `There are ${max} API keys already, the maximum. Delete one first, or raise the number under Settings.`,
  limits_of_operator: ({ command }) =>
    `Only the operator of the service changes these limits, with: ${command}`,
  owners_keys_max: ({ max }) => `The number of API keys can be raised to at most ${max}.`,
  no_overlap: 'The key has no old value that is still valid.',
  open_seconds: ({ max }) => `The door opens for 1 to ${max} whole seconds.`,
  event_elsewhere: 'One of the events does not exist, or was deleted.',
  no_event_chosen: 'Choose at least one event, or all.',
  device_unknown: ({ name, known }) =>
    `This server has no device file "${name}". It has: ${known}.`,
  readers_invalid: ({ max }) =>
    `Write each reader once with in or out, such as 0=in,1=out, or *=out for all; at most ${max} readers.`,
  expiry_past: 'The expiry is in the past. To end the key now, choose “Disable” or “Delete”.',

  uses_fixed: ({ allowed }) =>
    allowed === 1 ? 'A single ticket has 1 use.' : `A permanent card has ${allowed} uses.`,
  uses_missing: 'A multi-use card needs its number of uses, 2 to 100.',
  uses_range: ({ min, max }) => `A multi-use card has ${min} to ${max} uses.`,
  holder_name: ({ max }) => `A name has at most ${max} characters and no control characters.`,
  window_reversed: '“Valid until” is before “Valid from”.',
  time_range: 'Dates lie in the years 1970 to 9998.',
  time_form: ({ text }) => `“${text}” is not a date. Write 2027-09-30 or 30.09.2027 14:00.`,
  time_missing: ({ text }) => `“${text}” does not exist in the calendar.`,
  kind_unknown: ({ text }) =>
    `“${text}” is not a type of ticket. Types are single, multi and permanent.`,
  uses_number: ({ text }) => `“${text}” is not a number of uses.`,
  tickets_taken: 'One of the tickets exists already.',
  uses_below_consumed: ({ consumed }) =>
    `The ticket was used ${consumed} times. The number of uses cannot be lower.`,
  ticket_used:
    'This ticket was used, is in the scan log, or belongs to a replacement, so it cannot be deleted. Choose “Cancel ticket” instead.',
  replace_cancelled:
    'This ticket is cancelled, so no replacement is issued for it. Reinstate it first, or create a new ticket.',
  ticket_replaced: 'A replacement was issued for this ticket, so it stays cancelled.',
  undo_reason: ({ max }) => `Give a reason of 1 to ${max} characters in one line.`,
  undo_no_use: ({ entry }) => `Entry ${entry} of the scan log took no use.`,
  undo_twice: ({ entry, by }) =>
    `The use of entry ${entry} was already taken back, by entry ${by} of the scan log.`,
  log_entry_missing: ({ entry }) =>
    `The scan log has no entry ${entry}. Old entries may have been removed.`,

  list_type: 'Choose a CSV or JSON Lines file.',
  list_too_large: 'The file is too large. Split it.',
  list_line_too_long: ({ line }) => `Line ${line} is too long. Write one ticket on each line.`,
  list_lines_max: ({ max }) => `The file has more than ${max} lines. Split it.`,
  list_encoding: ({ line }) =>
    `Line ${line} is not UTF-8. Choose “Windows-1252 (Excel)” as encoding.`,
  list_refused: 'Nothing was stored, because of these lines:',
  list_empty: 'The file has no rows.',
  list_no_ids: 'The list has no column with ticket ids. Create new tickets from its rows instead.',
  list_columns: 'The assignment of the columns is not valid.',
  column_unknown: 'This column is not known. Assign it, or leave it out.',
  column_twice: 'Two columns are assigned to the same field.',
  column_missing: 'The file does not have this column.',
  row_cells: ({ cells, headings }) =>
    `The row has ${cells} cells, but there are ${headings} headings.`,
  row_quote_open: 'A quote is opened here and never closed.',
  row_quote_end: 'There is text behind a closing quote; inside a cell a quote is written twice.',
  row_not_json: 'This line is not a JSON object.',
  row_value: 'This must be a text, a number or empty.',
  row_future: ({ text }) => `“${text}” is in the future.`,
  row_ticket_id: ({ text }) => `“${text}” is not the id of a ticket.`,
  row_other_event: ({ named }) => `The row names another event: “${named}”.`,
  row_code: 'This code does not belong to the ticket.',
  row_batch: ({ text }) => `“${text}” is not a batch, such as bat_0123456789.`,
  row_consumed: ({ text, max }) => `“${text}” is not a number of uses from 0 to ${max}.`,
  row_twice: ({ line }) => `This ticket is also on line ${line}.`,
  rows_max: ({ max }) => `One file has at most ${max} tickets. Split it.`,
  row_unknown_event: ({ event }) => `There is no event with the id ${event}.`,
  row_existing: 'This ticket exists already. “Skip existing tickets” leaves it as it is.',

  day_invalid: ({ text }) => `“${text}” is not a day of the years 1970 to 9998.`,
  period_reversed: '“Last day” is before “First day”.',
  period_too_long: ({ by, max, days }) =>
    by === 'hour'
      ? `By hour, a period has at most ${max} days, not ${days}. Choose a shorter one, or rows by day.`
      : `A period has at most ${max} days, not ${days}. Choose a shorter one.`,

  event_not_empty:
    'The event has tickets or scans, so it cannot be deleted. Choose “Archive” instead.',
  changed_meanwhile: 'Somebody else has changed this meanwhile. Reload the page, then try again.',
};
