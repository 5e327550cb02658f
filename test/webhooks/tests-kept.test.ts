import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { COMMAND_LINE } from '../../src/features/actor.ts';
import { Webhooks } from '../../src/features/webhooks/rules.ts';
import { AdminClient } from '../admin/support/client.ts';
import { TestService } from '../support/service.ts';

test('a test of a webhook is among its deliveries, also when it failed, and an edit keeps it', async () => {
  await using service = await TestService.start({ store: 'memory' });
  const { store, clock } = service;
  const owner = await AdminClient.signedIn(service);
  const deps = { store, clock, random: randomBytes, isAllowed: () => true };
  const webhooks = new Webhooks(deps, COMMAND_LINE);
  const { id: organisationId } = await service.administration.organisations.first();
  const given = { name: 'ERP', url: 'https://erp.example.org/in' };
  const { webhook } = await webhooks.create(organisationId, given);
  const listed = async () =>
    (await owner.get(`/webhooks/${webhook.id}/deliveries`)).json.items.map(
      ({ type, status, error }: Record<string, unknown>) => [type, status, error],
    );
  const error = `the certificate of erp.example.org is not trusted: ${'x'.repeat(300)}`;

  expect(await listed()).toEqual([]);
  const send = async () => ({ status: null, error, ms: 3 });
  expect(await webhooks.test(organisationId, webhook.id, send)).toMatchObject({ error });
  clock.advance(1000);
  await webhooks.test(organisationId, webhook.id, async () => {
    // Somebody renames it while the test is under way.
    await webhooks.edit(organisationId, webhook.id, { name: 'Till' });
    return { status: 204, ms: 2 };
  });
  expect(await listed()).toEqual([
    ['webhook.test', 204, null],
    ['webhook.test', null, error],
  ]);
  const [shown] = (await owner.get('/webhooks')).json.items;
  expect(shown).toMatchObject({ name: 'Till' });
  expect(shown).not.toHaveProperty('tests');

  for (let index = 0; index < 12; index += 1) {
    clock.advance(1000);
    await webhooks.test(organisationId, webhook.id, async () => ({ status: 200 + index, ms: 1 }));
  }
  expect(await listed()).toHaveLength(10);
  expect((await listed())[0]).toEqual(['webhook.test', 211, null]);
});
