import { expect, test } from 'vitest';
import { TestService } from '../support/service.ts';
import { AdminClient } from './support/client.ts';

const ROLES = ['scanner', 'viewer', 'operator', 'owner'] as const;

test('the code of a ticket is shown from operator on, and is in no answer that a viewer or scanner gets', async () => {
  await using service = await TestService.start({ store: 'memory' });
  const clients = new Map<string, AdminClient>();
  for (const role of ROLES) clients.set(role, await AdminClient.signedIn(service, role));
  const code = await service.mint({ lastName: 'Shown' });
  const id = code.split('.')[1] ?? '';
  await service.rest('consume', code);
  const paths = service.routes
    .filter((route) => route.startsWith('GET /admin/v1/') && !route.endsWith('/log/live'))
    .map((route) => route.replace('GET /admin/v1', '').replace(':id', id));
  expect(paths.length).toBeGreaterThan(20);
  expect(paths).toContain(`/tickets/${id}/qr.svg`);

  for (const role of ['scanner', 'viewer']) {
    const client = clients.get(role) as AdminClient;
    for (const path of paths) {
      for (const query of ['', `?ids=${id}`, `?ticket=${id}`, '?format=jsonl'])
        expect((await client.get(path + query)).text, `${role} ${path}`).not.toContain(code);
    }
    const scanned = await client.post('/scans', { operation: 'validate', ticketCode: id });
    expect(scanned.text).not.toContain(code);
    for (const path of ['qr.svg', 'sheet.pdf'])
      expect((await client.get(`/tickets/${id}/${path}`)).status).toBe(403);
    expect((await client.post('/tickets/sheet.pdf', { ids: [id] })).status).toBe(403);
  }
  expect((await clients.get('viewer')?.get(`/tickets/${id}`))?.json).toMatchObject({ code: null });
  for (const role of ['operator', 'owner'])
    expect((await clients.get(role)?.get(`/tickets/${id}`))?.json).toMatchObject({ code });
});
