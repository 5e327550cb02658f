import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { temporaryKeyring } from '../../src/config/keyring-file.ts';
import { systemClock } from '../../src/config/system-clock.ts';
import type { ScanRequest } from '../../src/core/scan-batch.ts';
import { newTicket } from '../../src/core/ticket-changes.ts';
import { makeTicketCode } from '../../src/core/ticket-code.ts';
import { Accounts } from '../../src/features/accounts/accounts.ts';
import { Passwords } from '../../src/features/accounts/passwords.ts';
import { COMMAND_LINE } from '../../src/features/actor.ts';
import { Administration } from '../../src/features/keys/administration.ts';
import { buildApp } from '../../src/scan/http/app.ts';
import { ScanService } from '../../src/scan/scan-service.ts';
import { adminApi } from '../../src/serve/admin-api.ts';
import { dashboardPages } from '../../src/serve/page.ts';
import { openStore } from '../../src/stores/open-store.ts';
import type { Store } from '../../src/stores/store.ts';
import { AN_AUDIT_ENTRY } from '../../test/support/an-audit-entry.ts';

const BATCH = 5000;
const HOUR_MS = 3_600_000;

/** A server with its administration and pages, on an SQLite store after a long day at the gates. */
export interface LongDay extends AsyncDisposable {
  readonly url: string;
  /** Of an owner. */
  readonly account: { readonly name: string; readonly password: string };
  /** The event of every tenth ticket, a key of every twentieth scan, and a ticket with scans. */
  readonly event: string;
  readonly key: string;
  readonly ticket: string;
  /** An API key with its value, and a code that it may scan as often as it likes. */
  readonly apiKey: string;
  readonly code: string;
}

/** Makes `tickets` permanent tickets and `entries` log rows, and serves them until it is disposed. */
export async function serveLongDay(tickets: number, entries: number): Promise<LongDay> {
  const folder = mkdtempSync(join(tmpdir(), 'ticketscan-bench-'));
  const store = await openStore(`sqlite:${join(folder, 'store.db')}`);
  const keyring = temporaryKeyring();
  const filled = await fill(store, tickets, entries);
  const app = appOn(store, keyring);
  return {
    url: await app.listen({ host: '127.0.0.1', port: 0 }),
    account: await makeOwner(store),
    event: filled.event,
    key: filled.key,
    ticket: filled.ticket,
    apiKey: filled.apiKey,
    code: makeTicketCode(filled.ticket, keyring, 'TS1'),
    async [Symbol.asyncDispose]() {
      app.server.closeAllConnections();
      await app.close();
      await store.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function appOn(store: Store, keyring: ReturnType<typeof temporaryKeyring>) {
  const common = { store, keyring: () => keyring, clock: systemClock };
  const log = pino({ level: 'silent' });
  const service = new ScanService({ ...common, deviceRetryWindowMs: 0 });
  return buildApp(
    { service, checkWritable: () => store.checkWritable(), log, hardwareAlways200: false },
    { requestTimeoutMs: 60_000, headersTimeoutMs: 60_000 },
    [
      adminApi({
        ...common,
        service: () => service,
        random: randomBytes,
        log,
        version: 'bench',
        engine: 'sqlite',
        testControls: false,
      }),
      dashboardPages,
    ],
  );
}

/** Makes permanent tickets and the log of their scans, spread over the last eight hours. */
export async function fill(store: Store, tickets: number, entries: number) {
  const administration = new Administration(store, systemClock, randomBytes);
  const startedAt = performance.now();
  const main = await administration.createEvent('Summer pool');
  const other = await administration.createEvent('Winter pool');
  const { id: organisationId } = await administration.findOrganisation(undefined);
  await administration.editOrganisation(organisationId, {
    limits: {
      quotaPerMonth: 1e9,
      ratePerSecond: 1e6,
      burst: 1e6,
    },
  });
  const options = { type: 'hardware', events: 'all' } as const;
  const gate = (await administration.createKey({ ...options, name: 'Gate' })).key;
  const { key: till, value: apiKey } = await administration.createKey({
    ...options,
    name: 'Till',
    type: 'api',
  });
  const made = Array.from({ length: tickets }, (_, index) =>
    newTicket(
      {
        eventId: index % 10 === 0 ? other.id : main.id,
        kind: 'permanent',
        firstName: `First ${index}`,
        lastName: `Last ${index}`,
      },
      systemClock.now(),
      randomBytes,
    ),
  );
  await store.insertTickets(made, AN_AUDIT_ENTRY);
  for (const { id } of made.slice(0, 50))
    await store.cancelTickets([id], systemClock.now(), AN_AUDIT_ENTRY);
  for (let from = 0; from < entries; from += BATCH) {
    const requests = Array.from({ length: Math.min(BATCH, entries - from) }, (_, index) => {
      const number = from + index;
      const ticket = made[number % made.length] ?? made[0]!;
      return {
        kind: 'scan',
        keyId: number % 20 === 0 ? till.id : gate.id,
        operation: number % 4 === 0 ? 'validate' : 'consume',
        subject: { kind: 'ticket', ticketId: ticket.id, eventId: ticket.eventId },
        // The last eight hours: what the statistics have to count first.
        now: systemClock.now() - 8 * HOUR_MS + Math.floor((number / entries) * 8 * HOUR_MS),
        serial: `S-${number % 40}`,
        reader: String(number % 2),
        retry: null,
      } satisfies ScanRequest;
    });
    await store.commitScans(requests);
  }
  const seconds = (performance.now() - startedAt) / 1000;
  console.error(`${tickets} tickets and ${entries} log entries in ${seconds.toFixed(0)} s`);
  return { event: other.id, key: till.id, ticket: made[57]!.id, tickets: made, apiKey };
}

/** @returns the name and password of a new account */
export async function makeOwner(store: Store) {
  const administration = new Administration(store, systemClock, randomBytes);
  const { id: organisationId } = await administration.findOrganisation(undefined);
  const deps = { store, clock: systemClock, random: randomBytes, passwords: new Passwords() };
  const account = { name: 'bench', password: 'only for this run' };
  await new Accounts(deps, COMMAND_LINE).create({ ...account, role: 'owner', organisationId });
  return account;
}
