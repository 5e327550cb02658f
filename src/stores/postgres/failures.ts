import { messageOf, TicketscanError } from '../../core/errors.ts';

/** PostgreSQL's five-character error codes, https://www.postgresql.org/docs/current/errcodes-appendix.html */
const UNIQUE_VIOLATION = '23505';
/** Serialization failure, deadlock, no lock in time, statement cancelled (as by its time limit). */
const TRY_AGAIN = new Set(['40001', '40P01', '55P03', '57014']);
/** The server ends, starts, has no room for another connection, or only reads: another one may serve. */
const ELSEWHERE = new Set(['57P01', '57P02', '57P03', '53300', '25006', '25P03', '25P04', '08006']);
const READ_ONLY = '25006';
/** The code for a row that belongs to no partition. */
const CHECK_VIOLATION = '23514';

/** The code of a server's error. Errors of the system have a code too, such as EPIPE, but no severity. */
function sqlState(error: unknown): string | undefined {
  const { code, severity } = (error ?? {}) as { code?: unknown; severity?: unknown };
  return typeof code === 'string' && typeof severity === 'string' ? code : undefined;
}

export function isUniqueViolation(error: unknown): boolean {
  return sqlState(error) === UNIQUE_VIOLATION;
}

export function isMissingPartition(error: unknown): boolean {
  return sqlState(error) === CHECK_VIOLATION && /no partition/.test(messageOf(error));
}

/** True when the same transaction may well succeed a moment later on the same connection. */
export function isPassing(error: unknown): boolean {
  return TRY_AGAIN.has(sqlState(error) ?? '');
}

/** The server said no and rolled back: nothing of the transaction is there. */
export function saysRolledBack(error: unknown): boolean {
  return (
    ['40001', '40P01'].includes(sqlState(error) ?? '') || sqlState(error)?.startsWith('23') === true
  );
}

/** Messages of the driver about a lost connection; they have no code. */
const DRIVER_LOST =
  /^(Connection terminated|Query read timeout|timeout|Client has encountered|Client was closed)/i;

/** True if the connection, or the server behind it, can no longer be used. */
export function isLostConnection(error: unknown): boolean {
  const state = sqlState(error);
  if (state !== undefined) return ELSEWHERE.has(state) || state.startsWith('08');
  if (error instanceof AggregateError || error instanceof UnknownOutcomeError) return true;
  const { code, message } = (error ?? {}) as NodeJS.ErrnoException;
  return /^E[A-Z_]+$/.test(code ?? '') || DRIVER_LOST.test(message ?? '');
}

/** True if the server has not answered in time. A server that waits for its standby looks the same. */
export function isUnanswered(error: unknown): boolean {
  const cause = error instanceof UnknownOutcomeError ? error.cause : error;
  return /timeout/i.test(messageOf(cause)) && sqlState(cause) === undefined;
}

/** It is unknown whether a commit happened. */
export class UnknownOutcomeError extends Error {
  override readonly name = 'UnknownOutcomeError';
}

const HINTS: Readonly<Record<string, string>> = {
  '28P01': 'refuses the password. Check user and password in --store.',
  '28000': 'refuses this user. Check the user in --store, and pg_hba.conf on the server.',
  '3D000': 'has no such database. Create it first: createdb NAME.',
  '3F000': 'has no schema for the tables. Create it, or name another search_path.',
  '42501':
    'does not allow this user to do that. Give it the rights that it needs: ticketscan docs postgres',
  [READ_ONLY]: 'is read-only. Name the primary in --store, or all servers: HOST1,HOST2.',
  '53300': 'has no connection left. Raise max_connections, or use fewer instances.',
  '53100': 'has a full disk.',
};

/** Messages of a pooler in front of the server, and what to do about each. */
const POOLER_HINTS: readonly (readonly [message: RegExp, hint: string])[] = [
  [
    /transaction blocks not allowed/i,
    'has a pooler in front that gives each statement another connection. Set pool_mode to transaction or session.',
  ],
  [
    /unsupported startup parameter/i,
    'has a pooler in front that refuses a parameter of the URL. Keep only -c NAME=VALUE in its options.',
  ],
  [
    /query_wait_timeout|no more connections allowed/i,
    'has a pooler in front without a connection left. Raise default_pool_size and max_client_conn: an instance uses up to 10.',
  ],
];

/** Errors of OpenSSL and Node about a certificate. */
const CERTIFICATE =
  /^(?:DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|CERT_|CRL_|HOSTNAME_MISMATCH|INVALID_CA|ERR_TLS_CERT_)/;

/** Why TLS with the server was not possible, and what to do. */
function tlsHint(error: unknown): string | undefined {
  if (/does not support SSL connections/.test(messageOf(error)))
    return 'has no TLS. Switch it on there (ssl = on), or write sslmode=disable in --store, for a network that you trust.';
  const { code, syscall } = (error ?? {}) as NodeJS.ErrnoException;
  if (syscall === 'open')
    return `cannot be asked: a file of the URL cannot be read (sslrootcert, sslcert or sslkey): ${messageOf(error)}.`;
  if (typeof code !== 'string' || !CERTIFICATE.test(code)) return undefined;
  return (
    `has a certificate that cannot be trusted (${messageOf(error)}). Name the certificates that you trust: sslmode=verify-full&sslrootcert=FILE. ` +
    'The modes require and prefer check it as well; sslmode=no-verify does not, for a network that you trust.'
  );
}

/** What is known of an error of the server, of its pooler or of TLS, and what to do. */
function hintFor(error: unknown, isOneOfSeveral: boolean): string | undefined {
  const code = sqlState(error);
  if (code === READ_ONLY && isOneOfSeveral)
    return 'accept no writes yet: waiting for the promotion of a standby. Nothing was changed.';
  const said = POOLER_HINTS.find(([message]) => message.test(messageOf(error)));
  return HINTS[code ?? ''] ?? said?.[1] ?? tlsHint(error);
}

/** Turns an error that a person can fix into a `store_unavailable` or `store_busy` that says how. It holds no text of a URL. */
export function explain(error: unknown, where: string): unknown {
  if (error instanceof TicketscanError) return error;
  const isOneOfSeveral = where.includes(', ');
  const hint = hintFor(error, isOneOfSeveral);
  const servers = isOneOfSeveral ? 'servers' : 'server';
  if (hint) return unavailable(`The Postgres ${servers} ${where} ${hint}`, error);
  if (error instanceof UnknownOutcomeError) {
    const values = { outcome: 'unknown' };
    return new TicketscanError('store_unavailable', error.message, { cause: error, values });
  }
  if (isPassing(error)) {
    const message = `The Postgres server ${where} waited too long for other transactions (${messageOf(error)}). Nothing was changed; try again.`;
    return new TicketscanError('store_busy', message, { cause: error });
  }
  if (!isLostConnection(error)) return error;
  return unavailable(
    `No Postgres server that accepts writes can be reached at ${where} (${reasonOf(error)}). Is it running, and is its address right?`,
    error,
  );
}

/** Explains an error of the first contact with a server: what the server refuses then is a matter of set-up. */
export function explainOpening(error: unknown, where: string): unknown {
  const explained = explain(error, where);
  if (explained !== error || sqlState(error) === undefined) return explained;
  return unavailable(
    `The Postgres server ${where} refuses: ${messageOf(error)}. What it needs: ticketscan docs postgres`,
    error,
  );
}

function unavailable(message: string, cause: unknown): TicketscanError {
  return new TicketscanError('store_unavailable', message, { cause });
}

/** Node joins the attempts on several addresses of one name in an AggregateError without a message. */
function reasonOf(error: unknown): string {
  const text = messageOf(error instanceof AggregateError ? error.errors[0] : error);
  if (/^Query read timeout/.test(text))
    return 'no answer in time; a pooler in front may have no connection left: an instance uses up to 10';
  return text === '' ? 'no reason given' : text;
}

/** Whether a check written as `1 / (condition)::integer` did not hold. */
export function isFailedCheck(error: unknown): boolean {
  return sqlState(error) === '22012';
}
