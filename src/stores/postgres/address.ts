import { TicketscanError } from '../../core/errors.ts';
import { fileFailure } from '../../kit/failures.ts';
import { readBoundedText } from '../../kit/files.ts';

/** There is no @ after the hosts: it would belong to a password that was not encoded, and a part of the password would be read as a host. */
const POSTGRES_URL =
  /^postgres(?:ql)?:\/\/(?:(?<user>[^@/?]*)@)?(?<hosts>[^@/?]*)(?<rest>[/?][^@]*)?$/s;
const DEFAULT_PORT = 5432;
/** The option of the query that names a file with the password, such as a secret of a container. */
const PASSWORD_FILE = 'password_file';

export function isPostgresUrl(url: string): boolean {
  return /^postgres(ql)?:/.test(url);
}

/** One database server of several that hold the same data. */
export interface PostgresHost {
  /** The name for people, without user and password. */
  readonly name: string;
  /** Holds the password. Never print it. */
  readonly url: string;
  /** The `sslmode` of the URL, if the driver checks more than it asks for. */
  readonly raisedMode?: string;
}

/**
 * The servers of `postgres://user:password@one:5432,two:5432/database?sslmode=verify-full`, in their order. With
 * `password_file=FILE` in the query the password is the content of that file; `host=/run/postgresql` names the folder of a socket.
 * @throws TicketscanError `usage`; its text holds nothing of the URL but that file's name, because a mistyped URL may
 *   still hold a password
 */
export function postgresHosts(url: string): PostgresHost[] {
  const { user, hosts = '', rest = '' } = POSTGRES_URL.exec(url)?.groups ?? {};
  const before = `postgres://${user === undefined ? '' : `${user}@`}`;
  const found = serversIn(hosts, queryOf(rest)).map((server) => ({
    ...server,
    url: `${before}${server.authority}${rest}`,
  }));
  if (found.length === 0 || !found.every((host) => URL.canParse(host.url))) {
    throw new TicketscanError(
      'usage',
      'The address of the Postgres store cannot be read. It has the form postgres://USER:PASSWORD@HOST:5432/DATABASE, with ' +
        'several servers as HOST1:5432,HOST2:5432, and with a socket postgres://USER@/DATABASE?host=/run/postgresql; ' +
        'in a password, characters such as @ : / ? # are written as %40 %3A %2F %3F %23.',
    );
  }
  return found.map(hostAt);
}

/** A server as the URL names it. */
interface NamedServer {
  readonly name: string;
  /** The part of a URL that names it. */
  readonly authority: string;
  readonly isSocket: boolean;
}

/** The `host` and `port` of the query win over those before the path, as in every other client of PostgreSQL. */
function serversIn(hosts: string, query: URLSearchParams): NamedServer[] {
  const ports = query.get('port')?.split(',') ?? [];
  const given = (query.get('host') ?? hosts).split(',').filter((host) => host !== '');
  return given.map((text, index) => {
    const host = withSocket(text);
    const port = /:\d+$/.exec(host)?.[0] ?? portFrom(ports[index] ?? ports[0]);
    const bare = host.replace(/:\d+$/, '');
    if (!bare.startsWith('/')) {
      const authority = `${bare}${port ?? ''}`;
      return { name: `${bare}${port ?? `:${DEFAULT_PORT}`}`, authority, isSocket: false };
    }
    const name = `${bare}${port ?? ''}`;
    return { name, authority: `${encodeURIComponent(bare)}${port ?? ''}`, isSocket: true };
  });
}

function portFrom(port: string | undefined): string | undefined {
  return port === undefined ? undefined : `:${port}`;
}

function queryOf(rest: string): URLSearchParams {
  const at = rest.indexOf('?');
  return new URLSearchParams(at < 0 ? '' : rest.slice(at + 1));
}

/** Decodes the folder of a socket, which is written with %2F before the path. Leaves a malformed one for the URL parser to refuse. */
function withSocket(host: string): string {
  if (!/^%2f/i.test(host)) return host;
  try {
    return decodeURIComponent(host);
  } catch {
    return host;
  }
}

/**
 * The modes in which the driver checks the certificate as in `verify-full`, which is more than their names say, and prints a
 * warning of its own. It has no mode that continues without TLS.
 */
const RAISED_MODES = ['allow', 'prefer', 'require', 'verify-ca'];

function hostAt({ name, url: text, isSocket }: NamedServer & { readonly url: string }) {
  const url = new URL(text);
  const query = url.searchParams;
  for (const read of ['host', 'port']) query.delete(read);
  // A socket has no TLS.
  if (isSocket) for (const tls of ['sslmode', 'ssl']) query.delete(tls);
  const mode = query.get('sslmode') ?? '';
  const isRaised = RAISED_MODES.includes(mode) && query.get('uselibpqcompat') !== 'true';
  if (isRaised) query.set('sslmode', 'verify-full');
  const file = query.get(PASSWORD_FILE);
  if (file !== null) {
    query.delete(PASSWORD_FILE);
    // Characters with a meaning in a URL must be encoded.
    url.password = encodeURIComponent(readPassword(file));
  }
  return isRaised ? { name, url: url.href, raisedMode: mode } : { name, url: url.href };
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
