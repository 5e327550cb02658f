/** A failure of the system in words for a person. Both are parts of a sentence, without a full stop. */
export interface Failure {
  readonly what: string;
  /** What to do or to look at. */
  readonly advice: string | undefined;
}

interface Connection {
  /** The address without anything secret. */
  readonly url: string;
  readonly host: string;
  readonly port: string;
  readonly code: string;
}

interface Reason {
  readonly codes: RegExp;
  what(connection: Connection): string;
  advice?(connection: Connection): string;
}

/** What Node says of a certificate before anything is sent over the connection. */
const CERTIFICATE = /CERT|UNABLE_TO_|SELF_SIGNED|INVALID_CA|PATH_LENGTH|HOSTNAME_MISMATCH/;

/** The first that fits counts. */
const CONNECTIONS: readonly Reason[] = [
  {
    codes: /^ECONNREFUSED$/,
    what: ({ url }) => `nothing listens at ${url} (connection refused)`,
    advice: ({ port }) => `is the server running, and is ${port} its port?`,
  },
  {
    codes: /^(ENOTFOUND|EAI_AGAIN)$/,
    what: ({ host, code }) => `the name "${host}" cannot be resolved (${code})`,
    advice: () => 'check the spelling and the DNS',
  },
  {
    codes: /^CERT_HAS_EXPIRED$/,
    what: ({ url }) => `the certificate of ${url} has expired`,
  },
  {
    codes: /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    what: ({ url, host }) => `the certificate of ${url} is for another name than "${host}"`,
  },
  {
    codes: CERTIFICATE,
    what: ({ url, code }) => `the certificate of ${url} is not trusted (${code})`,
    advice: () => 'give its issuer with --tls-ca FILE',
  },
  {
    codes: /^(EPROTO|ERR_SSL\w*)$/,
    what: ({ url, code }) => `${url} does not speak TLS (${code})`,
    advice: () => 'is it http:// instead of https://?',
  },
  {
    codes: /^HPE_/,
    what: ({ url, code }) => `${url} does not speak HTTP (${code})`,
    advice: () => 'is it https:// instead of http://?',
  },
  {
    codes: /^(EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL)$/,
    what: ({ url, code }) => `there is no way to ${url} (${code})`,
    advice: () => 'check the network',
  },
  {
    codes: /^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/,
    what: ({ url, code }) => `the connection to ${url} broke off (${code})`,
    advice: () => 'look at proxies and firewalls in between, and whether http or https is right',
  },
  {
    codes: /^(ABORT_ERR|TimeoutError|ETIMEDOUT|UND_ERR_\w*TIMEOUT)$/,
    what: ({ url }) => `${url} gives no answer in time`,
    advice: () => 'look at the server, and at a firewall that drops silently',
  },
  {
    codes: /^EMFILE$/,
    what: () => 'too many open connections (EMFILE)',
    advice: () => 'raise the limit with ulimit -n',
  },
];

/** Why a connection to a server failed. @param url of the server, without anything secret */
export function connectionFailure(error: unknown, url: string): Failure {
  const code = codeOf(error);
  const { hostname, port, protocol } = new URL(url);
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const place = { url, host, port: port || (protocol === 'https:' ? '443' : '80'), code };
  const reason = CONNECTIONS.find(({ codes }) => codes.test(code));
  if (reason) return { what: reason.what(place), advice: reason.advice?.(place) };
  const detail = code || (error instanceof Error ? error.message : String(error));
  return { what: `no connection to ${url} (${detail})`, advice: undefined };
}

/** True when the certificate is why: then nothing was sent. */
export function isCertificateFailure(error: unknown): boolean {
  return CERTIFICATE.test(codeOf(error));
}

/** Why a server cannot listen. */
export function listenFailure(error: unknown, host: string, port: number): Failure {
  switch (codeOf(error)) {
    case 'EADDRINUSE':
      return {
        what: `port ${port} is taken`,
        advice: 'choose another with --port; 0 picks a free one',
      };
    case 'EACCES':
      return {
        what: `port ${port} needs more rights`,
        advice: 'choose one above 1023 with --port',
      };
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return { what: `${host} is no address of this machine`, advice: 'choose one with --host' };
    default:
      return {
        what: `the server cannot listen on ${host}:${port} (${codeOf(error)})`,
        advice: 'choose another port with --port',
      };
  }
}

const FILES: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'it would be larger than a file may be',
  EIO: 'the disk reports an error',
  EROFS: 'the disk is read-only',
  EACCES: 'this user may not read or write it',
  EPERM: 'this user may not read or write it',
  ENOTDIR: 'a part of its path is no folder',
  ELOOP: 'its links lead in a circle',
  EISDIR: 'it is a folder',
  ENOENT: 'there is no such file or folder',
};

/** Why a file cannot be read or written: part of a sentence. */
export function fileFailure(error: unknown): string {
  return FILES[codeOf(error)] ?? (error instanceof Error ? error.message : String(error));
}

/** What happened and what to do, as part of a sentence. */
export function inOneClause({ what, advice }: Failure): string {
  return advice === undefined ? what : `${what}: ${advice}`;
}

/** With a capital, unless it begins with an address or a name; and with a full stop where it needs one. */
export function asSentence(text: string): string {
  const start = text.replace(/^[a-z]+(?=[ ,])/, (word) => word[0]?.toUpperCase() + word.slice(1));
  return /[.?]$/.test(start) ? start : `${start}.`;
}

/** The system's code of an error, or its name where that says more; empty where there is neither. */
function codeOf(error: unknown): string {
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown };
  if (typeof code === 'string') return code;
  return name === 'TimeoutError' ? name : '';
}
