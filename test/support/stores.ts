import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newTicket, type TicketWish } from '../../src/core/new-ticket.ts';
import type { ScanOutcome, ScanRequest } from '../../src/core/scan-batch.ts';
import type { NewTicket } from '../../src/core/ticket.ts';
import { Administration } from '../../src/scan/administration.ts';
import { openStore } from '../../src/stores/open-store.ts';
import type { Store } from '../../src/stores/store.ts';
import { TestClock } from './clock.ts';

export const ENGINES = ['memory', 'sqlite'] as const;
export type Engine = (typeof ENGINES)[number];

/** A store with an organisation, an event and a key that may scan it. */
export class TestStore implements AsyncDisposable {
  store: Store;
  readonly url: string;
  readonly clock = new TestClock();
  readonly administration: Administration;
  readonly folder: string;
  eventId = '';
  keyId = '';

  private constructor(store: Store, url: string, folder: string) {
    this.store = store;
    this.url = url;
    this.folder = folder;
    this.administration = new Administration(store, this.clock, randomBytes);
  }

  static async open(engine: Engine): Promise<TestStore> {
    const folder = mkdtempSync(join(tmpdir(), 'ticketscan-store-'));
    const url = engine === 'memory' ? 'memory:' : `sqlite:${join(folder, 'store.db')}`;
    const made = new TestStore(await openStore(url), url, folder);
    const { administration } = made;
    made.eventId = (await administration.createEvent('Pool')).id;
    const wish = { name: 'gate', type: 'api', events: 'all' } as const;
    made.keyId = (await administration.createKey(wish)).key.id;
    return made;
  }

  async mint(wish: Partial<TicketWish> = {}): Promise<NewTicket> {
    const whole = { kind: 'single', eventId: this.eventId, ...wish } as const;
    const ticket = newTicket(whole, this.clock.now(), randomBytes);
    await this.store.insertTickets([ticket]);
    return ticket;
  }

  request(ticketId: string, changes: Partial<ScanRequest> = {}): ScanRequest {
    return {
      keyId: this.keyId,
      action: 'consume',
      subject: { kind: 'ticket', ticketId, eventId: ticketId.split('_')[1] ?? '' },
      now: this.clock.now(),
      serial: null,
      reader: null,
      retry: null,
      ...changes,
    };
  }

  async scan(...requests: ScanRequest[]): Promise<readonly ScanOutcome[]> {
    return (await this.store.commitScans(requests)).outcomes;
  }

  async reopen(): Promise<void> {
    await this.store.close();
    this.store = await openStore(this.url);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.store.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** The status of a decision, or what kind of refusal it was. */
export function statusOfOutcome(outcome: ScanOutcome | undefined): string {
  if (outcome?.kind !== 'decided') return outcome?.kind ?? 'none';
  const { decision } = outcome;
  return decision.status === 'rejected' ? decision.reason : decision.status;
}
