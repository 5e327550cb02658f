import { TransportFailure, type TransportKind } from '../judging/deviation.ts';
import type { RequestSpec } from './exchange.ts';

const KINDS: Readonly<Record<string, TransportKind>> = {
  ECONNREFUSED: 'refused',
  ENOTFOUND: 'unknown-host',
  EAI_AGAIN: 'unknown-host',
  EHOSTUNREACH: 'refused',
  ENETUNREACH: 'refused',
  ETIMEDOUT: 'timeout',
  ECONNRESET: 'reset',
  EPIPE: 'reset',
  UND_ERR_HEADERS_OVERFLOW: 'not-http',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'not-http',
};

const SENTENCES: Readonly<Record<TransportKind, string>> = {
  refused: 'nothing listens there (connection refused)',
  'unknown-host': 'the host name is not known',
  tls: 'its TLS certificate is not trusted (--ca FILE trusts one of your own, --insecure-tls any)',
  timeout: 'no answer came in time',
  reset: 'the connection was closed before an answer came',
  incomplete: 'the answer ended too early',
  'not-http': 'the server does not speak HTTP',
  stopped: 'the run was stopped',
};

const OTHER_NAME = 'its TLS certificate is for another name: use one that it contains';

/** Makes a sentence of what a socket threw. */
export function transportFailureOf(error: unknown): TransportFailure {
  if (error instanceof TransportFailure) return error;
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (cause instanceof TransportFailure) return cause;
  const code = codeOf(error);
  const isParserError = error instanceof Error && error.name === 'HTTPParserError';
  const kind = isParserError ? 'not-http' : kindOf(code);
  if (code.includes('ALTNAME')) return new TransportFailure(kind, OTHER_NAME, { cause: error });
  const detail = kind === 'tls' || kind === 'not-http' ? `: ${code}` : '';
  return new TransportFailure(kind, `${SENTENCES[kind]}${detail}`, { cause: error });
}

function codeOf(error: unknown): string {
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === 'string' ? code : String(error instanceof Error ? error.message : error);
}

function kindOf(code: string): TransportKind {
  const kind = KINDS[code];
  if (kind) return kind;
  return /CERT|SSL|TLS|SIGNED|SIGNATURE|ISSUER|ALTNAME/i.test(code) ? 'tls' : 'reset';
}

/** The whole address of a request: the base address may itself have a path. */
export function joinUrl(baseUrl: URL, spec: Pick<RequestSpec, 'path' | 'query'>): string {
  const base = baseUrl.origin + baseUrl.pathname.replace(/\/$/, '');
  const query = (spec.query ?? [])
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .join('&');
  return `${base}${spec.path}${query === '' ? '' : `?${query}`}`;
}
