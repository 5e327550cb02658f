import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createKeyring, temporaryKeyring } from '../../src/config/keyring-file.ts';
import type { AuditLogEntry } from '../../src/core/administrative-records.ts';
import { DEFAULT_LIMITS } from '../../src/core/limits.ts';
import { seed } from '../../src/features/seed/rules.ts';
import { mintTickets, openKeyring } from '../../src/index.ts';
import type { Store } from '../../src/stores/store.ts';
import { makeTicket } from '../../src/testing/sample.ts';
import { CliFolder } from '../support/cli.ts';
import { TestStore } from '../support/stores.ts';

const ticketsTold = (auditLog: readonly AuditLogEntry[]) =>
  auditLog
    .filter(({ act }) => act === 'ticket.create' || act === 'ticket.import')
    .reduce((sum, { details }) => sum + Number(details['count']), 0);

test('a change without its act does not compile', () => {
  const change = async (store: Store) => {
    // @ts-expect-error the act is missing
    await store.insertTickets([]);
    // @ts-expect-error the act is missing
    await store.write({ deleted: [{ kind: 'session', id: 'id' }] });
    // @ts-expect-error only documents may change without one
    await store.cancelTickets(['tkt'], 0, null);
  };
  expect(change).toBeTypeOf('function');
});

test('seed tells every ticket that it makes and cancels', async () => {
  await using gate = await TestStore.open('memory', 'empty');
  const { store, clock, administration } = gate;
  const deps = { store, administration, keyring: temporaryKeyring(), clock, random: randomBytes };

  await seed(deps, { ticketsPerState: 3, limits: DEFAULT_LIMITS });

  const auditLog = await store.readAuditLog({ limit: 1000 });
  expect(ticketsTold(auditLog)).toBe(await store.countTickets());
  const cancelled = auditLog.filter(({ act }) => act === 'ticket.cancel');
  expect(cancelled.map(({ details }) => details['count'])).toEqual([3]);
});

test('the library and the harness tell what they make', async () => {
  await using gate = await TestStore.open('sqlite');
  const path = join(gate.folder, 'keyring.json');
  createKeyring(path);
  const keyring = openKeyring(path);

  await makeTicket(gate.store, keyring, {}, gate.eventId, gate.clock.now());
  await mintTickets({ event: gate.eventId, count: 2, keyring, store: gate.url });

  const [{ organisationId } = {}] = await gate.store.list('event');
  const [minted, made] = await gate.store.readAuditLog({ limit: 2 });
  expect(minted).toMatchObject({ organisationId, details: { count: 2, kind: 'single' } });
  expect(made).toMatchObject({ organisationId, details: { count: 1 } });
  for (const one of [minted, made])
    expect(one).toMatchObject({ act: 'ticket.create', subject: gate.eventId, by: 'command line' });
});

test('an import tells the events that it makes', async () => {
  await using folder = new CliFolder();
  const ticketId = `tkt_abc123_${'0'.repeat(20)}`;
  writeFileSync(join(folder.path, 'list.csv'), `ticketId,eventName\n${ticketId},Pool\n`);
  const { code, err } = await folder.run(['tickets', 'import', 'list.csv', '--create-events']);
  expect([code, err]).toEqual([0, expect.stringContaining('1 ticket imported')]);

  await using store = await TestStore.openAt(
    { url: `sqlite:${join(folder.path, 'ticketscan.db')}` },
    folder.path,
    'empty',
  );
  const auditLog = await store.store.readAuditLog({ limit: 10 });
  expect(auditLog.map(({ act }) => act)).toEqual([
    'ticket.import',
    'event.create',
    'organisation.create',
  ]);
});
