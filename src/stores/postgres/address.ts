import { TicketscanError } from '../../core/errors.ts';
import { fileFailure } from '../../kit/failures.ts';
import { readBoundedText } from '../../kit/files.ts';

/** No @ after the hosts: then it belongs to a password that was not encoded, and a part of that would pass for a host. */
const POSTGRES_URL =
  /^postgres(?:ql)?:\/\/(?:(?<user>[^@/?]*)@)?(?<hosts>[^@/?]*)(?<rest>[/?][^@]*)?$/s;
const DEFAULT_PORT = 5432;
/** In the query: a file with the password, such as a secret of a container. */
const PASSWORD_FILE = 'password_file';

export function isPostgresUrl(url: string): boolean {
  return /^postgres(ql)?:/.test(url);
}

/** One database server of several that hold the same data. */
export interface PostgresHost {
  /** For people: without user and password. */
  readonly name: string;
  /** Holds the password. Never print it. */
  readonly url: string;
}

/**
 * The servers of `postgres://user:password@one:5432,two:5432/database?sslmode=verify-full`, in their order. With
 * `password_file=FILE` in the query the password is the content of that file.
 * @throws TicketscanError `usage`; its text holds nothing of the URL but that file's name, because a mistyped one may
 *   still hold a password
 */
export function postgresHosts(url: string): PostgresHost[] {
  const { user, hosts = '', rest = '' } = POSTGRES_URL.exec(url)?.groups ?? {};
  const names = hosts.split(',').filter((host) => host !== '');
  const found = names.map((name) => ({
    name: /:\d+$/.test(name) ? name : `${name}:${DEFAULT_PORT}`,
    url: `postgres://${user === undefined ? '' : `${user}@`}${name}${rest}`,
  }));
  if (found.length === 0 || !found.every((host) => URL.canParse(host.url))) {
    throw new TicketscanError(
      'usage',
      'The address of the Postgres store cannot be read. It has the form postgres://USER:PASSWORD@HOST:5432/DATABASE, with ' +
        'several servers as HOST1:5432,HOST2:5432; in a password, characters such as @ : / ? # are written as %40 %3A %2F %3F %23.',
    );
  }
  return found.map(({ name, url: host }) => ({ name, url: withPassword(host) }));
}

function withPassword(text: string): string {
  const url = new URL(text);
  const file = url.searchParams.get(PASSWORD_FILE);
  if (file === null) return text;
  url.searchParams.delete(PASSWORD_FILE);
  // The URL encodes what has a meaning in it.
  url.password = encodeURIComponent(readPassword(file));
  return url.href;
}

function readPassword(file: string): string {
  try {
    const password = readBoundedText(file).trim();
    if (password !== '') return password;
  } catch (error) {
    throw new TicketscanError(
      'usage',
      `${PASSWORD_FILE} ${file} in the URL of the store cannot be read: ${fileFailure(error)}.`,
      { cause: error },
    );
  }
  throw new TicketscanError(
    'usage',
    `${PASSWORD_FILE} ${file} in the URL of the store is empty: write the password into it.`,
  );
}
