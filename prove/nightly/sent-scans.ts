import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ExploredService } from '../../test/support/explored-service.ts';
import { heardFrom, type Scan } from '../world/ask.ts';
import type { Recorder } from '../world/recorder.ts';
import type { WorldKey } from '../world/world.ts';

/** The request that undici tells of: the same object for one request in all channels. */
interface SentRequest {
  readonly origin: string;
  readonly method: string;
  readonly path: string;
  /** Names and values in turns. */
  readonly headers: readonly string[];
  readonly body: Uint8Array | null;
}

/** Each channel tells of a part. */
interface Told {
  readonly request: SentRequest;
  readonly response: { readonly statusCode: number };
  readonly chunk: Uint8Array;
}

interface UnderWay {
  readonly id: number;
  readonly scan: Scan;
  readonly chunks: Uint8Array[];
  status: number;
}

/**
 * Writes down each scan that the explorer sends to an address, and its answer. The explorer's HTTP client tells of both, so that
 * nothing has to stand between it and the service. A request whose answer did not arrive whole stays without an ending.
 * @returns ends it
 */
export function writeDown(
  recorder: Recorder,
  service: ExploredService,
  origin: string,
): () => void {
  const scanIn = scanReader(service);
  const underWay = new WeakMap<SentRequest, UnderWay>();
  const listeners: Readonly<Record<string, (told: Told) => void>> = {
    'undici:request:create': ({ request }) => {
      const found = request.origin === origin ? scanIn(request) : undefined;
      if (!found) return;
      const { scan, ticket } = found;
      const { action, key, retry } = scan;
      const named = { ...(ticket && { ticket }), ...(retry && { retry }) };
      const id = recorder.invoke({ action, key: key.id, ...named });
      underWay.set(request, { id, scan, chunks: [], status: 0 });
    },
    'undici:request:headers': ({ request, response }) => {
      const sent = underWay.get(request);
      if (sent) sent.status = response.statusCode;
    },
    'undici:request:bodyChunkReceived': ({ request, chunk }) => {
      underWay.get(request)?.chunks.push(chunk);
    },
    'undici:request:trailers': ({ request }) => {
      const sent = underWay.get(request);
      if (sent) answer(recorder, sent);
    },
  };
  const all = Object.entries(listeners) as [string, (told: unknown) => void][];
  for (const [name, listener] of all) subscribe(name, listener);
  return () => {
    for (const [name, listener] of all) unsubscribe(name, listener);
  };
}

function answer(recorder: Recorder, { id, scan, chunks, status }: UnderWay): void {
  const heard = heardFrom(status, Buffer.concat(chunks).toString(), scan);
  if (heard.type === 'unknown') recorder.unknown(id, heard.why);
  else recorder.answer(id, heard);
}

const ENDPOINTS: ReadonlyMap<string, Pick<Scan, 'action'> & Pick<WorldKey, 'type'>> = new Map([
  ['/scan/validate', { action: 'validate', type: 'api' }],
  ['/scan/consume', { action: 'consume', type: 'api' }],
  ['/scan/hw/validate', { action: 'validate', type: 'hardware' }],
  ['/scan/hw/consume', { action: 'consume', type: 'hardware' }],
]);

/**
 * Reads the scans among requests: those with a key of the endpoint's type. Others take no use, and are counted for no key.
 * The ticket is left out where the code is none of the target's.
 */
function scanReader({ keys, target }: ExploredService) {
  const keysByValue = new Map(keys.map((key) => [key.value, key]));
  const codes = Object.values(target.tickets ?? {}).flat() as string[];
  const tickets = new Map(codes.map((code) => [code, code.split('.')[1]]));
  return ({ method, path, headers, body }: SentRequest) => {
    const { pathname, searchParams } = new URL(path, 'http://localhost');
    const endpoint = method === 'POST' ? ENDPOINTS.get(pathname) : undefined;
    if (!endpoint) return undefined;
    const { action, type } = endpoint;
    const value = type === 'api' ? headerOf(headers, 'x-api-key') : searchParams.get('key');
    const key = keysByValue.get(value ?? '');
    if (key?.type !== type) return undefined;
    const code = codeIn(body, type);
    const retry = headerOf(headers, 'idempotency-key');
    const scan: Scan = { action, key, code, ...(retry !== undefined && { retry }) };
    return { scan, ticket: tickets.get(code) };
  };
}

/** Empty when there is none. */
function codeIn(body: Uint8Array | null, type: WorldKey['type']): string {
  const { ticketCode = '', Card = '' } = JSON.parse(String(body)) as Record<string, string>;
  return type === 'api' ? ticketCode : Buffer.from(Card, 'base64').toString();
}

function headerOf(headers: readonly string[], name: string): string | undefined {
  const at = headers.findIndex((one, index) => index % 2 === 0 && one.toLowerCase() === name);
  return at < 0 ? undefined : headers[at + 1];
}
