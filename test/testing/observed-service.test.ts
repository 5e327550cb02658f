import { expect, test } from 'vitest';
import { temporaryKeyring } from '../../src/config/keyring-file.ts';
import { makeTicketCode } from '../../src/core/ticket-code.ts';
import { exchangeContext, ObservedService } from '../../src/testing/exchanges/observed-service.ts';
import { TestStore } from '../support/stores.ts';

test('what was under way when the service was reset changes nothing any more', async () => {
  await using gate = await TestStore.open('memory');
  const keyring = temporaryKeyring();
  const deps = {
    store: gate.store,
    keyring: () => keyring,
    clock: gate.clock,
    deviceRetryWindowMs: 0,
  };
  const service = new ObservedService(deps);
  const options = { name: 'software', type: 'api', events: 'all' } as const;
  const { value } = await gate.administration.keys.create(options);
  const key = await service.findKey(value, 'api');
  if (!key) throw new Error('the key was just made');
  const ticketCode = makeTicketCode((await gate.mint()).id, keyring, 'TS1');
  const scan = (curtain: AbortSignal) =>
    exchangeContext.run({ ticketCode, hits: [], curtain, explanation: null }, () =>
      service.scan({ key, operation: 'consume', ticketCode }),
    );
  await expect(scan(AbortSignal.abort())).rejects.toThrow(/the service was reset/);
  expect(await gate.store.readLog({ limit: 10 })).toEqual([]);
  expect(await scan(new AbortController().signal)).toMatchObject({
    decision: { status: 'consumed' },
  });
});
