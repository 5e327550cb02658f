import { randomBytes } from 'node:crypto';
import { systemClock } from '../../src/config/system-clock.ts';
import type { ScanRequest } from '../../src/core/scan-requests.ts';
import { newTicket } from '../../src/core/ticket-changes.ts';
import { Passwords } from '../../src/features/accounts/passwords.ts';
import { Accounts } from '../../src/features/accounts/rules.ts';
import { COMMAND_LINE } from '../../src/features/actor.ts';
import { Administration } from '../../src/features/administration.ts';
import type { Store } from '../../src/stores/store.ts';
import { AN_AUDIT_ENTRY } from '../../test/support/an-audit-entry.ts';

const BATCH = 5000;
const HOUR_MS = 3_600_000;

/** Makes permanent tickets and the log of their scans, spread over the last eight hours. */
export async function fill(store: Store, tickets: number, entries: number) {
  const administration = new Administration(store, systemClock, randomBytes);
  const startedAt = performance.now();
  const main = await administration.events.create('Summer pool');
  const other = await administration.events.create('Winter pool');
  const { id: organisationId } = await administration.organisations.find(undefined);
  await administration.organisations.edit(organisationId, {
    limits: {
      quotaPerMonth: 1e9,
      ratePerSecond: 1e6,
      burst: 1e6,
    },
  });
  const options = { type: 'hardware', events: 'all' } as const;
  const gate = (await administration.keys.create({ ...options, name: 'Gate' })).key;
  const { key: till, value: apiKey } = await administration.keys.create({
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
  const { id: organisationId } = await administration.organisations.find(undefined);
  const deps = { store, clock: systemClock, random: randomBytes, passwords: new Passwords() };
  const account = { name: 'bench', password: 'only for this run' };
  await new Accounts(deps, COMMAND_LINE).create({ ...account, role: 'owner', organisationId });
  return account;
}
