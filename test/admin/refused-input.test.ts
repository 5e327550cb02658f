import { expect, test } from 'vitest';
import { createEvent } from '../../src/features/events/operations.ts';
import { changeKey, createKey } from '../../src/features/keys/operations.ts';
import { callAt, AdminClient as RemoteClient } from '../../src/operations/call.ts';
import { TestService } from '../support/service.ts';
import { AdminClient } from './support/client.ts';

test('a client and its server refuse bad input as a usage error', async () => {
  await using service = await TestService.start({ store: 'memory' });
  const owner = await AdminClient.signedIn(service);
  const { token } = (await owner.post('/access-tokens', { name: 'cli', role: 'owner' })).json;
  const client = new RemoteClient(service.url, token);
  const call = callAt((request, answer) => client.send(request, answer));

  await expect(call(createEvent, { name: '' })).rejects.toMatchObject({
    code: 'usage',
    message: 'name: must not be empty',
  });
  const [name, device, refused] = ['Gate', 'nope', 'This server has no device file "nope"'];
  const gate = { name, type: 'hardware', events: 'all' } as const;
  await expect(call(createKey, { ...gate, device })).rejects.toThrow(refused);
  const { id } = await call(createKey, gate);
  await expect(call(changeKey, { id, device })).rejects.toThrow(refused);
});

test('a member of a body that has no effect is refused, and nothing is changed', async () => {
  await using service = await TestService.start({ store: 'memory' });
  const owner = await AdminClient.signedIn(service);
  const [, id] = (await service.mint({})).split('.');
  const [{ id: event }] = (await owner.get('/events')).json.items;
  const gate = { name: 'Gate', type: 'hardware', events: 'all' };
  const key = (await owner.post('/keys', gate)).json;
  const seen = async () => [
    (await owner.get('/tickets')).json.items,
    (await owner.get('/accounts')).json.items,
    (await owner.get('/keys')).json.items,
  ];
  const before = await seen();

  for (const [path, body] of [
    ['/tickets/delete', { ids: [id], event }],
    [`/key-rotations/${key.id}`, { overlap: 0 }],
    ['/accounts', { name: 'door', role: 'scanner', password: 'a long password', event: [event] }],
  ] as const) {
    const { status, json } = await owner.post(path, body);
    expect([status, json.message], path).toEqual([
      422,
      expect.stringMatching(/^The request has a member that cannot be given here: \w+\.$/),
    ]);
  }

  expect(await seen()).toEqual(before);
});
