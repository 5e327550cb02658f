import type { NewAuditLogEntry } from '../../src/core/administrative-records.ts';
import type { ScanRequest } from '../../src/core/scan-requests.ts';
import type { NewTicket } from '../../src/core/ticket.ts';
import { AN_AUDIT_ENTRY } from './an-audit-entry.ts';
import { deleteKey, editKey } from './records.ts';
import type { TestStore } from './stores.ts';

export function anAuditEntry(at: number): NewAuditLogEntry {
  const who = { organisationId: null, accountId: 'acc_1', by: 'Ada' };
  return { ...who, at, act: 'key.create', subject: 'key_1', details: { name: 'Ünlü', n: [2, 1] } };
}

/** Puts something of every kind into a store: used, imported and cancelled tickets, deleted keys, devices, retries. */
export async function fillStore(
  gate: TestStore,
): Promise<{ card: NewTicket; retried: ScanRequest }> {
  const { administration, store, clock } = gate;
  const other = await administration.events.create('Ισθμός – Ünlü 🎟️');
  const hardware = { name: 'door', type: 'hardware', events: [other.id, gate.eventId] } as const;
  const { key: door } = await administration.keys.create(hardware);
  const card = await gate.mint({ kind: 'multi', uses: 20, firstName: 'Şükrü', lastName: 'أحمد' });
  const brought = {
    ...(await gate.mint({ kind: 'multi', uses: 9 })),
    id: `tkt_${gate.eventId}_${'b'.repeat(20)}`,
  };
  await store.insertTickets(
    [{ ...brought, usesConsumed: 4, lastConsumedAt: 1, cancelledAt: null }],
    AN_AUDIT_ENTRY,
  );
  const erased = await gate.mint({ reference: 'order 7' });
  await store.eraseHolders([erased.id], AN_AUDIT_ENTRY);
  const cancelled = await gate.mint({ validFrom: 5, validUntil: clock.now() + 1000 });
  await store.cancelTickets([cancelled.id], clock.now(), AN_AUDIT_ENTRY);
  const retry = { name: 'a name with spaces', bodyHash: 'h', expiresAt: clock.now() + 60_000 };
  const retried = gate.request(card.id, { retry, keyId: door.id, serial: 'S 1', reader: '2' });
  const contact = { model: 'm', serial: 'S 1', address: '10.0.0.7', firmware: '1' };
  await gate.scan(
    gate.request(card.id),
    retried,
    retried,
    gate.request(brought.id),
    gate.request(cancelled.id),
    gate.request(`tkt_${gate.eventId}_${'0'.repeat(20)}`),
    gate.request(card.id, { subject: { kind: 'forged', excerpt: 'TS1.tkt…' } }),
    gate.request(card.id, { subject: { kind: 'unreadable' } }),
    gate.heartbeat(contact, { keyId: door.id }),
  );
  const { key: gone } = await administration.keys.create({
    name: 'gone',
    type: 'api',
    events: 'all',
  });
  await gate.scan(gate.request(card.id, { keyId: gone.id }));
  await deleteKey(store, gone.id, clock.now(), AN_AUDIT_ENTRY);
  await editKey(store, door.id, { active: true, name: 'front door' }, AN_AUDIT_ENTRY);
  const account = {
    kind: 'account',
    id: 'acc_1',
    value: { name: 'Ada', roles: ['b', 'a'] },
  } as const;
  await store.write({ administrative: [{ ...account, revision: 0 }], audit: [] });
  await store.write({ administrative: [{ ...account, revision: 1 }], audit: [] });
  await store.write({ audit: [anAuditEntry(clock.now())] });
  return { card, retried };
}
