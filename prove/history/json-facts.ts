import { existsSync, readFileSync } from 'node:fs';
import type { LogFact, RequestsFact, StoreFacts, TicketFact } from './facts.ts';

/**
 * Reads a JSON store: the document, and on top of it what the log beside it says since. Scans and counted requests are in
 * the log alone. @throws Error when the document is none
 */
export function readJsonFacts(path: string): StoreFacts {
  const document = JSON.parse(readFileSync(path, 'utf8')) as StoreDocument;
  const log = existsSync(`${path}.log`) ? readFileSync(`${path}.log`) : Buffer.alloc(0);
  const content = new JsonContent(document);
  for (const line of wholeLines(log)) content.read(line, document.log.line);
  return content.facts();
}

interface StoreDocument {
  readonly log: { readonly line: number };
  readonly keys: readonly { readonly id: string; readonly active: boolean }[];
  readonly tickets: readonly Ticket[];
}

interface Ticket {
  readonly id: string;
  readonly usesAllowed: number;
  readonly usesConsumed: number;
  readonly importedUses?: number;
  /** ISO 8601 in the document, milliseconds in the log. */
  readonly validFrom?: string | number | null;
  readonly validUntil?: string | number | null;
  readonly cancelledAt?: string | number | null;
}

interface Line {
  readonly line: number;
  readonly changes?: readonly (readonly [string, ...unknown[]])[];
}

class JsonContent {
  readonly #tickets = new Map<string, Ticket>();
  readonly #keys = new Map<string, 'active' | 'disabled' | 'deleted'>();
  readonly #requests = new Map<string, number>();
  readonly #log: LogFact[] = [];

  constructor({ tickets, keys }: StoreDocument) {
    for (const ticket of tickets) this.#tickets.set(ticket.id, ticket);
    for (const { id, active } of keys) this.#keys.set(id, active ? 'active' : 'disabled');
  }

  /** @param folded the last line that the document holds */
  read({ line, changes = [] }: Line, folded: number): void {
    for (const [kind, ...values] of changes) {
      if (kind === 'scan') this.#log.push(scanFrom(values[0] as Scan));
      const [collection, name, value] = values as [string, string, Record<string, unknown>];
      if (collection === 'requests') this.#requests.set(name, value as unknown as number);
      if (line <= folded) continue;
      if (collection === 'tickets') this.#changeTicket(name, value);
      if (collection === 'keys') this.#changeKey(name, kind, value);
    }
  }

  facts(): StoreFacts {
    const tickets = [...this.#tickets].map(([id, ticket]): [string, TicketFact] => [
      id,
      factOf(ticket),
    ]);
    const requests = [...this.#requests].map(([name, count]): RequestsFact => {
      const [month = '', key = ''] = name.split(' ');
      return { key, month: Number(month), requests: count };
    });
    return { tickets: new Map(tickets), log: this.#log, requests, keys: this.#keys, damage: [] };
  }

  #changeTicket(id: string, members: Record<string, unknown>): void {
    this.#tickets.set(id, { ...this.#tickets.get(id), ...members } as unknown as Ticket);
  }

  #changeKey(id: string, kind: string, value: Record<string, unknown> | undefined): void {
    const record = value?.['record'] as { active: boolean } | undefined;
    if (kind === 'delete') this.#keys.set(id, 'deleted');
    else if (record) this.#keys.set(id, record.active ? 'active' : 'disabled');
  }
}

interface Scan extends Omit<LogFact, 'key' | 'ticket'> {
  readonly keyId: string;
  readonly ticketId: string | null;
}

function scanFrom({ keyId, ticketId, ...entry }: Scan): LogFact {
  return { ...entry, key: keyId, ticket: ticketId };
}

function factOf(ticket: Ticket): TicketFact {
  return {
    usesAllowed: ticket.usesAllowed,
    usesConsumed: ticket.usesConsumed,
    usesBrought: ticket.importedUses ?? 0,
    validFrom: timeOf(ticket.validFrom),
    validUntil: timeOf(ticket.validUntil),
    cancelled: timeOf(ticket.cancelledAt) !== null,
  };
}

function timeOf(time: string | number | null | undefined): number | null {
  return typeof time === 'string' ? Date.parse(time) : (time ?? null);
}

const HEAD = /^\{"line":(\d+),"bytes":(\d+),"check":"[0-9a-f]+",/;
const LINE_FEED = 0x0a;

/** Lines as long as they say, one number after another; what a crash left behind the last of them is no line. */
function* wholeLines(log: Buffer): Generator<Line> {
  for (let from = 0, number = 0; from < log.length; number += 1) {
    const feed = log.indexOf(LINE_FEED, from);
    const bytes = log.subarray(from, feed < 0 ? log.length : feed);
    const head = HEAD.exec(bytes.toString('latin1', 0, 80));
    if (head?.[1] !== String(number) || bytes.length !== head[0].length + Number(head[2])) return;
    const line = parsed(bytes);
    if (!line) return;
    yield line;
    from += bytes.length + 1;
  }
}

function parsed(bytes: Buffer): Line | undefined {
  try {
    return JSON.parse(bytes.toString('utf8')) as Line;
  } catch {
    return undefined;
  }
}
