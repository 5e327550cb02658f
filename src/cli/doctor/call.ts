import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { checkServerIdentity, type TLSSocket } from 'node:tls';
import { faultOfHeaders } from '../../kit/answer-faults.ts';
import { ANSWER_HEAD_BYTES_MAX, answerOf, trusting } from '../../kit/connections.ts';
import { asSentence, connectionFailure, isCertificateFailure } from '../../kit/failures.ts';
import { openTunnel, placeOf, proxyFor } from '../../kit/proxies.ts';
import { CLIENT_TLS } from '../../kit/served-tls.ts';

/** A door controller waits 3 to 5 seconds; a longer wait shows nothing more. */
const TIMEOUT_MS = 5000;
const ANSWER_BYTES_MAX = 64 * 1024;
/** A part of the system's code for a certificate that is for another name. */
const OTHER_NAME = 'ALTNAME';

/** A certificate as the server showed it. */
interface ShownCertificate {
  /** Why a client with the usual authorities and `ca` does not trust it, apart from its names; null if it does. */
  readonly problem: string | null;
  /** Its names, if the name in the URL is not one of them; else null. */
  readonly otherNames: string | null;
  /** Milliseconds since 1970 UTC. */
  readonly endsAt: number;
}

export interface CallAnswer {
  readonly status: number;
  readonly text: string;
  /** The server's clock as its Date header says, to the second; undefined when it does not. */
  readonly dateMs: number | undefined;
  readonly elapsedMs: number;
  readonly certificate: ShownCertificate | undefined;
}

/** A call without a usable answer. The message is for a person and contains no key. */
export class CallFailure extends Error {
  readonly advice: string;
  /** The status of an answer that cannot be used; undefined if no answer came. */
  readonly status: number | undefined;

  constructor(message: string, advice: string, status?: number) {
    super(message);
    this.advice = advice;
    this.status = status;
  }
}

interface CallOptions {
  readonly method?: 'POST' | 'GET';
  /** PEM text of certificates to trust besides the usual ones. */
  readonly ca?: string | undefined;
  /** True goes through the proxies that the environment names, as clients on this machine do. False by default. */
  readonly usesProxies?: boolean;
  /** The URL contains a key: nothing is sent to a server whose certificate is not trusted. False by default. */
  readonly holdsKey?: boolean;
}

/**
 * Posts JSON as a device would, or gets a page, on a new connection. Without a key in the URL, a certificate that is not
 * trusted is examined, not refused: the answer says what is wrong with it.
 * @throws CallFailure
 */
export async function call(
  url: URL,
  body: string,
  { method = 'POST', ca, holdsKey = false, usesProxies = false }: CallOptions = {},
): Promise<CallAnswer> {
  const startedMs = performance.now();
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'accept-encoding': 'identity',
  };
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const proxy = usesProxies ? proxyFor(url) : undefined;
  try {
    const tunnel = proxy && (await openTunnel(proxy, placeOf(url), signal));
    const options = { method, headers, signal, maxHeaderSize: ANSWER_HEAD_BYTES_MAX };
    const request =
      url.protocol === 'https:'
        ? https.request(url, {
            ...CLIENT_TLS,
            ...options,
            agent: new https.Agent(),
            ...trusting(ca),
            rejectUnauthorized: holdsKey,
            ...(tunnel && { socket: tunnel }),
          })
        : http.request(url, {
            ...options,
            ...(tunnel ? { createConnection: () => tunnel } : { agent: new http.Agent() }),
          });
    request.end(body);
    const response = await answerOf(request, signal);
    const certificate = url.protocol === 'https:' ? certificateOf(response, url) : undefined;
    const fault = faultOfHeaders(response.headers);
    if (fault) {
      response.destroy();
      throw fault;
    }
    const text = await textOf(response);
    const dateMs = Date.parse(response.headers.date ?? '');
    return {
      status: response.statusCode ?? 0,
      text,
      dateMs: Number.isNaN(dateMs) ? undefined : dateMs,
      elapsedMs: performance.now() - startedMs,
      certificate,
    };
  } catch (error) {
    throw failureOf(error, url);
  }
}

async function textOf(response: IncomingMessage): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of response) {
    text += decoder.decode(chunk as Buffer, { stream: true });
    if (text.length > ANSWER_BYTES_MAX) break;
  }
  return text;
}

function certificateOf(response: IncomingMessage, { hostname }: URL): ShownCertificate {
  const socket = response.socket as TLSSocket;
  const shown = socket.getPeerCertificate();
  const problem = socket.authorized ? null : String(socket.authorizationError);
  // The name is checked separately: a socket reports only one problem, and a wrong name only if it trusts the certificate.
  const isOther = checkServerIdentity(hostname.replace(/^\[|\]$/g, ''), shown) !== undefined;
  return {
    problem: problem?.includes(OTHER_NAME) ? null : problem,
    otherNames: isOther ? (shown.subjectaltname ?? 'no name') : null,
    endsAt: Date.parse(shown.valid_to),
  };
}

function failureOf(error: unknown, url: URL): CallFailure {
  const { what, advice } = connectionFailure(error, url.origin);
  const { code } = error as NodeJS.ErrnoException;
  const status = code === 'ERR_ANSWER_SWITCHED' ? 101 : undefined;
  if (!isCertificateFailure(error))
    return new CallFailure(asSentence(what), asSentence(advice), status);
  const isOtherName = String(code).includes(OTHER_NAME);
  return new CallFailure(
    `The key was not sent: ${what}.`,
    isOtherName
      ? asSentence(advice)
      : 'Make sure that it is your server. Then trust its certificate with --ca FILE, or get one from a public authority.',
  );
}
