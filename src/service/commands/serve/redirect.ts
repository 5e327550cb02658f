import { once } from 'node:events';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import type { Settings } from '../../../config/settings.ts';
import { TicketscanError } from '../../../core/errors.ts';
import { addressOfRequest } from '../../../kit/client-address.ts';
import { inSentences, listenFailure } from '../../../kit/failures.ts';
import { PAGE_PATHS } from '../../admin/dashboard-pages.ts';
import { safePath } from '../../http/request-log.ts';
import { takeOriginForm } from '../../http/request-target.ts';
import { withoutEndSlashes } from '../../http/scan-paths.ts';
import { RefusalLog } from '../../scan/refusal-log.ts';

export interface Redirects {
  /** Where it listens. */
  readonly port: number;
  close(): Promise<void>;
}

interface Target extends Pick<Settings, 'host' | 'baseUrl'> {
  /** Of the server for HTTPS. */
  readonly httpsPort: number;
}

/** A page's address is short, and it has no body. */
const TIMEOUT_MS = 5000;
const CONNECTIONS_MAX = 256;
const HTTPS_PORT = 443;
const REFUSED = 'a request over plain HTTP was refused';
const PAGES = [...PAGE_PATHS, '/reference'].map((path) => path.split('/'));

/**
 * Listens for plain HTTP beside HTTPS. Browsers that open a page are sent on to HTTPS. Everything else is refused without being
 * read, scans above all: a client that is redirected would send its key over plain HTTP every time, and nobody would notice.
 * @param port 0 picks a free one
 * @throws TicketscanError `usage` when it cannot listen there
 */
export async function serveRedirects(
  port: number,
  target: Target,
  log: Logger,
): Promise<Redirects> {
  const refusals = new RefusalLog(log);
  const listener = (request: IncomingMessage, response: ServerResponse) => {
    takeOriginForm(request);
    const location = locationOf(request, target);
    if (location !== undefined) {
      // Not for ever: ports and addresses change.
      response.writeHead(307, { location, connection: 'close' }).end();
      return;
    }
    const address = addressOfRequest(request, undefined);
    refusals.note(REFUSED, { path: safePath(request.url ?? ''), address });
    refuse(response);
  };
  const timeouts = { requestTimeout: TIMEOUT_MS, headersTimeout: TIMEOUT_MS };
  const server = http.createServer(timeouts, listener);
  server.maxConnections = CONNECTIONS_MAX;
  // Nobody waits for a body that nobody reads.
  server.on('checkContinue', listener);
  try {
    server.listen(port, target.host);
    await once(server, 'listening');
  } catch (error) {
    const message = inSentences(listenFailure(error, target.host, port, '--redirect-http'));
    throw new TicketscanError('usage', message, { cause: error });
  }
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      refusals.flush();
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

/** The same page over HTTPS; undefined for anything but a page. */
function locationOf(
  { method, url = '', headers }: IncomingMessage,
  { baseUrl, httpsPort }: Target,
): string | undefined {
  if (method !== 'GET' && method !== 'HEAD') return undefined;
  const [path = ''] = url.split('?', 1);
  if (!isPage(path)) return undefined;
  if (baseUrl?.startsWith('https:')) return withoutEndSlashes(baseUrl) + url;
  const asked = headers.host === undefined ? null : URL.parse(`http://${headers.host}`);
  if (asked?.pathname !== '/' || asked.username !== '') return undefined;
  return `https://${asked.hostname}${httpsPort === HTTPS_PORT ? '' : `:${httpsPort}`}${url}`;
}

function isPage(path: string): boolean {
  const segments = path.split('/');
  const fits = (wanted: string, at: number) =>
    wanted.startsWith(':') ? segments[at] !== '' : segments[at] === wanted;
  return PAGES.some((page) => page.length === segments.length && page.every(fits));
}

function refuse(response: ServerResponse): void {
  response.writeHead(403, {
    'content-type': 'text/plain; charset=utf-8',
    connection: 'close',
  });
  response.end(
    'This service answers over HTTPS only; nothing was done. Over plain HTTP others on the network can read keys and codes: ' +
      'change the address of this client to https://, and replace a key that it has sent.\n',
  );
}
