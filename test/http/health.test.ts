import { expect, test } from 'vitest';
import { TestService } from '../support/service.ts';

const get = async (url: string) => {
  const response = await fetch(url);
  return { status: response.status, body: await response.json() };
};

test('healthz tells that it runs, readyz that the store can write', async () => {
  await using service = await TestService.start();
  expect(await get(`${service.url}/healthz`)).toEqual({ status: 200, body: { status: 'ok' } });
  expect(await get(`${service.url}/readyz`)).toEqual({ status: 200, body: { status: 'ready' } });
});

test('a store that cannot write makes it not ready, but still alive', async () => {
  await using service = await TestService.start();
  await service.store.close();
  expect(await get(`${service.url}/readyz`)).toEqual({
    status: 503,
    body: { status: 'not ready', message: 'The store cannot write' },
  });
  expect(await get(`${service.url}/healthz`)).toMatchObject({ status: 200 });
});
