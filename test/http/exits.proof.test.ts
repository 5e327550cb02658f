import { expect, test } from 'vitest';
import type { ApiKeyChanges } from '../../src/core/records.ts';
import { explainLogEntry } from '../../src/features/explain/explain-scan.ts';
import { AN_AUDIT_ENTRY } from '../support/an-audit-entry.ts';
import { type Answer, TestService } from '../support/service.ts';

const DENIED = { AcsRes: '0', ActIndex: '0', Time: '0' };

/** A service whose hardware key says where people go in and out. */
async function gateway(changes: ApiKeyChanges): Promise<TestService> {
  const service = await TestService.start();
  await service.administration.keys.edit(service.key('hardware'), changes);
  return service;
}

const TWO_WAY = { readers: { 0: 'in', 1: 'out' }, onExit: 'open' } as const;

test('a two-way turnstile: in takes a use, out takes none and opens OUT', async () => {
  await using service = await gateway(TWO_WAY);
  const code = await service.mint();
  const early = await service.card('consume', code, { Reader: 1 });
  const entered = await service.card('consume', code, { Reader: 0 });
  const again = await service.card('consume', code, { Reader: 0 });
  const left = await service.card('consume', code, { Reader: 1 });

  expect([early.status, early.json]).toEqual([200, { ...DENIED, Note: 'Noch nicht benutzt' }]);
  expect(entered.json).toMatchObject({ AcsRes: '1', ActIndex: '0', Note: 'Ticket gültig (1/1)' });
  expect(again.json).toEqual({ ...DENIED, Note: 'Ticket erschöpft' });
  expect(left.json).toMatchObject({ AcsRes: '1', ActIndex: '1', Note: 'Ticket gültig (1/1)' });
});

test('the explanation of an open exit calls no rule passed that was not asked there', async () => {
  await using service = await gateway(TWO_WAY);
  const code = await service.mint();
  await service.card('consume', code, { Reader: 1 });
  await service.card('consume', code, { Reader: 0 });
  const [ticketId = ''] = /tkt_\w+/.exec(code) ?? [];
  await service.store.cancelTickets([ticketId], service.clock.now(), AN_AUDIT_ENTRY);
  await service.card('consume', code, { Reader: 1 });
  await service.card('consume', code, { Reader: 0 });
  // What is configured later says nothing of the scans before.
  await service.administration.keys.edit(service.key('hardware'), { onExit: 'consume' });

  const entries = await service.store.readLog({ limit: 4 });
  const explained = await Promise.all(
    entries.map((entry) => explainLogEntry(service.store, entry)),
  );
  const results = explained.map((one) => one?.steps.slice(-4).map(({ result }) => result));
  expect(results).toEqual([
    ['not_asked', 'not_asked', 'not_asked', 'stopped'],
    ['passed', 'passed', 'passed', 'passed'],
    ['not_asked', 'not_asked', 'not_asked', 'passed'],
    ['stopped', 'not_reached', 'not_reached', 'not_reached'],
  ]);
  expect(explained[2]?.steps.at(-1)?.because).toContain('1 of 1 uses');
});

test('a grant outwards is OUT whatever the relay setting; inwards that setting counts', async () => {
  await using service = await gateway({ ...TWO_WAY, relay: 'in', onExit: 'consume' });
  const code = await service.mint({ kind: 'multi', uses: 9 });
  const relays = async (relay: 'in' | 'out' | 'auto') => {
    await service.administration.keys.edit(service.key('hardware'), { relay });
    const answers = [
      await service.card('consume', code, { Reader: 0 }),
      await service.card('consume', code, { Reader: 1 }),
      await service.card('validate', code, { Reader: 1 }),
    ];
    return answers.map(({ json }) => json.ActIndex);
  };
  expect(await relays('in')).toEqual(['0', '1', '1']);
  expect(await relays('out')).toEqual(['1', '1', '1']);
  await service.administration.keys.edit(service.key('hardware'), {
    readers: { 1: 'in', 0: 'out' },
  });
  expect(await relays('auto')).toEqual(['1', '0', '0']);
});

test('models without a reader index go by *', async () => {
  await using service = await gateway({ readers: { '*': 'out' }, onExit: 'open' });
  const code = await service.mint();
  const path = `/scan/hw/consume?key=${service.key('hardware')}`;
  const panel = () =>
    service.post(path, JSON.stringify({ identifier_number: code, identifier_type: 'qr' }));
  const reader = () => service.post(path, `vgdecoderesult=${code}&&devicenumber=001`);

  expect((await panel()).json).toEqual({ handled: true, access: { granted: false } });
  expect((await reader()).text).toBe('code=0001');
  await service.rest('consume', code);
  expect((await panel()).json).toEqual({
    handled: true,
    access: { granted: true, lock_number: 2 },
  });
  expect((await reader()).text).toBe('code=0000');
  expect((await service.rest('validate', code)).json).toMatchObject({ usesConsumed: 1 });
});

test('out of scope and forged codes are denied at an exit too', async () => {
  await using service = await gateway(TWO_WAY);
  const scoped = service.key('hardwareScoped');
  await service.administration.keys.edit(scoped, TWO_WAY);
  const Card = Buffer.from(service.seeded.tickets.otherEvent[0] ?? '').toString('base64');
  const outside = await service.post(
    `/scan/hw/consume?key=${scoped}`,
    JSON.stringify({ Card, Reader: 1 }),
  );
  const forged = await service.card('consume', `${await service.mint()}x`, { Reader: 1 });
  expect([outside.status, outside.json]).toEqual([403, { ...DENIED, Note: 'Kein Zugriff' }]);
  expect(forged.json).toEqual({ ...DENIED, Note: 'Ungültiges Ticket' });
});

test('with nothing configured, and after that is taken back, every answer is the same to the byte', async () => {
  const answersOf = async (changes: readonly ApiKeyChanges[]) => {
    await using service = await TestService.start();
    for (const one of changes) await service.administration.keys.edit(service.key('hardware'), one);
    const code = await service.mint({ kind: 'multi', uses: 2 });
    const answers: Answer[] = [];
    for (const Reader of [0, 1, 0, 1, '7', undefined]) {
      answers.push(await service.card('consume', code, { Reader }));
      answers.push(await service.card('validate', code, { Reader }));
    }
    return answers.map(({ status, text }) => `${status} ${text}`);
  };
  const plain = await answersOf([]);
  expect(await answersOf([TWO_WAY, { readers: {}, onExit: 'consume' }])).toEqual(plain);
  expect(plain[2]).toContain('"ActIndex":"1"');
});
