import { expect } from 'vitest';
import type { TestService } from '../../support/service.ts';
import { AdminClient, pairedPhone } from './client.ts';

/** Makes one object of each kind, and some scans, in an organisation that no client of the tests belongs to. */
export async function makeForeignObjects(service: TestService) {
  const organisation = await service.administration.organisations.create('Foreign lido');
  const client = await AdminClient.signedIn(service, 'owner', organisation.id);
  const event = (await client.post('/events', { name: 'Foreign event' })).json;
  const key = (await client.post('/keys', { name: 'Foreign key', type: 'api', events: 'all' }))
    .json;
  const holder = { firstName: 'Foreign', lastName: 'Holder' };
  const options = { event: event.id, type: 'multi', uses: 5, holder };
  const [ticket] = (await client.post('/tickets', options)).json.items;
  const headers = { 'x-api-key': key.key };
  expect((await service.rest('consume', ticket.code, headers)).json.status).toBe('consumed');
  await service.post('/scan/consume', '{"ticketCode":"TS1.foreign-excerpt.xxxxxxxxxxxxxxx"}', {
    'content-type': 'application/json',
    ...headers,
  });
  const gate = { name: 'Foreign gate', type: 'hardware', events: 'all' };
  const { key: gateKey } = (await client.post('/keys', gate)).json;
  const device = JSON.stringify({ Card: 'eA==', Serial: 'FOREIGN-SERIAL', Reader: 0 });
  await service.post(`/scan/hw/consume?key=${gateKey}`, device);
  await service.post(`/scan/hw/heartbeat?key=${gateKey}`, '{"Key":"k","Serial":"FOREIGN-BEAT"}');
  const token = (await client.post('/access-tokens', { name: 'Foreign token', role: 'owner' }))
    .json;
  const me = (await client.get('/sessions/current')).json.account;
  const phone = await pairedPhone(client, service.url, 'Foreign phone');
  const scan = { operation: 'validate', ticketCode: ticket.code, requestId: 'foreign-scan' };
  expect((await phone.post('/scans', scan)).json.valid).toBe(true);
  const pairing = (await client.post('/pairings', {})).json;
  const [{ id: phoneId }] = (await client.get('/phones')).json.items;
  const endpoint = { name: 'Foreign webhook', url: 'https://foreign.example.org/' };
  const webhook = (await client.post('/webhooks', endpoint)).json;
  const { site, token: siteToken } = (await client.post('/sites', { name: 'Foreign site' })).json;
  // Everything is there for whom it belongs to.
  expect((await client.get(`/log?ticket=${ticket.ticketId}`)).json.items).toHaveLength(2);
  return {
    ids: {
      account: me.id as string,
      accessToken: token.id as string,
      event: event.id as string,
      key: key.id as string,
      ticket: ticket.ticketId as string,
      pairing: pairing.id as string,
      phone: phoneId as string,
      webhook: webhook.id as string,
      site: site.id as string,
    },
    texts: {
      organisation: organisation.id,
      organisationName: 'Foreign lido',
      eventName: 'Foreign event',
      keyName: 'Foreign key',
      phoneName: 'Foreign phone',
      tokenName: 'Foreign token',
      webhookName: 'Foreign webhook',
      accountName: me.name as string,
      excerpt: 'foreign-excerpt',
      gateName: 'Foreign gate',
      scanning: 'FOREIGN-SERIAL',
      beating: 'FOREIGN-BEAT',
      siteName: 'Foreign site',
      siteToken: siteToken as string,
    },
  };
}
