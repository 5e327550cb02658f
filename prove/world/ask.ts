import http from 'node:http';
import type { AnswerLine } from '../history/record.ts';
import type { WorldKey } from './world.ts';

/** One scan as a client sends it. */
export interface Scan {
  readonly action: 'consume' | 'validate';
  readonly key: WorldKey;
  readonly code: string;
  readonly retry?: string;
}

export type Heard =
  | Omit<AnswerLine, 'id' | 'at'>
  | { readonly type: 'unknown'; readonly why: string };

const ANSWER_TIMEOUT_MS = 20_000;

/** Keeps connections; a client that loses one opens another. */
export function newAgent(): http.Agent {
  return new http.Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
}

/** Sends a scan and says what was heard; never rejects. */
export async function ask(
  url: string,
  scan: Scan,
  agent: http.Agent,
  answerTimeoutMs = ANSWER_TIMEOUT_MS,
): Promise<Heard> {
  try {
    const { status, text } = await post(url, scan, agent, answerTimeoutMs);
    return heardFrom(status, text, scan);
  } catch (error) {
    return { type: 'unknown', why: (error as NodeJS.ErrnoException).code ?? String(error) };
  }
}

function post(
  url: string,
  scan: Scan,
  agent: http.Agent,
  answerTimeoutMs: number,
): Promise<{ status: number; text: string }> {
  const hardware = scan.key.type === 'hardware';
  const path = hardware ? `/scan/hw/${scan.action}?key=${scan.key.value}` : `/scan/${scan.action}`;
  const body = hardware
    ? { Card: Buffer.from(scan.code).toString('base64'), Serial: '4711', Reader: 0 }
    : { ticketCode: scan.code };
  const headers: Record<string, string> = { 'content-type': 'application/json' };
  if (!hardware) headers['x-api-key'] = scan.key.value;
  if (scan.retry !== undefined) headers['idempotency-key'] = scan.retry;
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; text: string }>();
  const request = http.request(url + path, { method: 'POST', agent, headers }, (response) => {
    let text = '';
    response.setEncoding('utf8');
    response.on('data', (chunk) => {
      text += chunk;
    });
    response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
    response.on('error', reject);
  });
  request.setTimeout(answerTimeoutMs, () => request.destroy(new Error('no answer in time')));
  request.on('error', reject);
  request.end(JSON.stringify(body));
  return promise;
}

/** What an answer says about a scan; nothing is known from one that cannot be read. */
export function heardFrom(status: number, text: string, scan: Pick<Scan, 'action' | 'key'>): Heard {
  try {
    return scan.key.type === 'api' ? fromRest(status, text, scan) : fromDevice(status, text);
  } catch (error) {
    return { type: 'unknown', why: String(error) };
  }
}

const REFUSED: Readonly<Record<number, string>> = {
  401: 'key_refused',
  429: 'limited',
  422: 'retry_conflict',
};

function fromRest(status: number, text: string, { action }: Pick<Scan, 'action'>): Heard {
  const refused = REFUSED[status];
  if (refused) return { type: 'fail', status: refused };
  if (status >= 500) return { type: 'unknown', why: String(status) };
  const body = JSON.parse(text) as Record<string, unknown>;
  const told = body['status'] as string;
  const granted = told === (action === 'consume' ? 'consumed' : 'validated');
  const { reason, usesConsumed, usesAllowed, scannedAt } = body as Partial<AnswerLine>;
  return {
    type: granted ? 'ok' : 'fail',
    status: told,
    ...(reason !== undefined && { reason }),
    ...(usesConsumed !== undefined && { usesConsumed }),
    ...(usesAllowed !== undefined && { usesAllowed }),
    ...(scannedAt !== undefined && { scannedAt }),
  };
}

const NOTES: Readonly<Record<string, string>> = {
  'Ticket erschöpft': 'exhausted',
  'Ticket abgelaufen': 'expired',
  'Ticket storniert': 'ticket_cancelled',
  'Noch nicht gültig': 'not_yet_valid',
  'Ticket nicht gefunden': 'not_found',
  'Ungültiges Ticket': 'invalid_ticket',
};

function fromDevice(status: number, text: string): Heard {
  const refused = REFUSED[status];
  if (refused) return { type: 'fail', status: refused };
  if (status >= 500) return { type: 'unknown', why: String(status) };
  const { AcsRes, Note } = JSON.parse(text) as { AcsRes: string; Note: string };
  const [, used, allowed] = /\((\d+)\/(\d+)\)$/.exec(Note) ?? [];
  if (AcsRes === '1') {
    return {
      type: 'ok',
      status: 'granted',
      usesConsumed: Number(used),
      usesAllowed: Number(allowed),
    };
  }
  return { type: 'fail', status: 'rejected', reason: NOTES[Note] ?? Note };
}
