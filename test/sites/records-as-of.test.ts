import { expect, test } from 'vitest';
import { Centre } from '../../src/features/sites/centre.ts';
import { AdminClient, idOf } from '../admin/support/client.ts';
import { TestService } from '../support/service.ts';
import { FIRST_QUESTION } from '../support/site-question.ts';

test('an answer to a site does not say that it has keys of later than they were read', async () => {
  await using service = await TestService.start();
  const { store, clock, keyring } = service;
  const owner = await AdminClient.signedIn(service);
  const { site, token } = (await owner.post('/sites', { name: 'Pool West' })).json;
  const { main } = service.seeded.events;
  await owner.post(`/events/${main}/move`, { to: site.id });
  const code = await service.mint();
  const haveRead = Promise.withResolvers<void>();
  const watched = new Proxy(store, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      if (name !== 'storedKeys') return member.bind(target);
      return async (organisationId: string) => {
        const keys = await target.storedKeys(organisationId);
        haveRead.resolve();
        return keys;
      };
    },
  });
  const question = {
    ...FIRST_QUESTION,
    site: site.id as string,
    now: clock.now(),
    held: [{ event: main, epoch: 1, isClosed: false, newest: 0 }],
  };
  const plain = new Centre({ store, clock, keyring: () => keyring });
  const first = await plain.feed(await plain.siteOf(token), question);
  const { feed, changesTo: applied, records } = first;
  const centre = new Centre({ store: watched, clock, keyring: () => keyring });
  const known = { feed, applied, digest: records?.digest ?? '', waitSeconds: 20 };
  const answer = centre.feed(await centre.siteOf(token), { ...question, ...known });
  await haveRead.promise;

  clock.advance(100);
  const key = (await owner.post('/keys', { name: 'Gone', type: 'api', events: 'all' })).json;
  await owner.delete(`/keys/${key.id}`);
  await owner.post('/tickets/cancel', { ids: [idOf(code)] });

  const { changes, records: newer, recordsAsOf } = await answer;
  expect([changes.length, newer]).toEqual([1, null]);
  expect(recordsAsOf).toBe(clock.now() - 100);
});
