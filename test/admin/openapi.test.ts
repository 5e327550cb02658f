import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  DeviceAnswer,
  HeartbeatAnswer,
  ScanError,
  ScanResult,
} from '../../src/admin/openapi/scan-wire.ts';
import { TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await TestService.start({ store: 'memory' });
});
afterAll(() => service[Symbol.asyncDispose]());

const get = (path: string) => fetch(`${service.url}${path}`);

test('the document is valid OpenAPI 3.1 and names every route and every scan endpoint', async () => {
  const response = await get('/openapi.json');
  const document = (await response.json()) as { paths: Record<string, Record<string, unknown>> };

  const validator = new Validator();
  const { valid, errors } = await validator.validate(structuredClone(document));
  expect(errors ?? []).toEqual([]);
  expect([valid, validator.version]).toEqual([true, '3.1']);

  const named = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const served = service.routes
    .filter((route) => route.includes('/admin/v1'))
    .map((route) => route.replace(/:(\w+)/g, '{$1}'));
  const scans = ['validate', 'consume', 'hw/validate', 'hw/consume', 'hw/heartbeat'];
  expect(named.sort()).toEqual([...served, ...scans.map((path) => `POST /scan/${path}`)].sort());
});

test('every operation says what it does, who may call it and what it answers', async () => {
  const { paths } = (await (await get('/openapi.json')).json()) as {
    // biome-ignore lint/suspicious/noExplicitAny: the document is looked at as it is
    paths: Record<string, Record<string, any>>;
  };
  for (const [path, item] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(item)) {
      expect(operation.summary, `${method} ${path}`).toBeTruthy();
      expect(operation.tags, `${method} ${path}`).toHaveLength(1);
      expect(operation.security, `${method} ${path}`).toBeDefined();
      expect(Object.keys(operation.responses).length, `${method} ${path}`).toBeGreaterThan(1);
    }
  }
});

test('what scans answer is what the document says', async () => {
  const code = await service.mint({ kind: 'multi', uses: 2, lastName: 'Noether' });
  const answers = [
    await service.rest('validate', code),
    await service.rest('consume', code),
    await service.rest('consume', code),
    await service.rest('consume', code),
    await service.rest('consume', ''),
    await service.rest('consume', 'forged'),
    ...(await Promise.all(
      ['cancelled', 'expired', 'notYetValid', 'unknown'].map((state) =>
        service.rest('consume', service.seeded.tickets[state as 'expired'][0]),
      ),
    )),
  ];
  for (const { json } of answers) expect(ScanResult.strict().parse(json)).toEqual(json);
  const refused = await service.rest('consume', code, { 'x-api-key': 'none' });
  expect(ScanError.strict().parse(refused.json)).toEqual(refused.json);

  const card = await service.card('consume', code);
  expect(DeviceAnswer.strict().parse(card.json)).toEqual(card.json);
  const beat = await service.post(
    `/scan/hw/heartbeat?key=${service.key('hardware')}`,
    '{"Key":"x"}',
  );
  expect(HeartbeatAnswer.strict().parse(beat.json)).toEqual(beat.json);
});

test('the reference page needs no script and nothing from elsewhere', async () => {
  const page = await get('/reference');
  const text = await page.text();
  const style = await get('/reference/style.css');

  expect(page.headers.get('content-type')).toContain('text/html');
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(style.headers.get('content-type')).toContain('text/css');
  expect(text).not.toMatch(/<script|style=|<style|\son\w+=|https?:/i);
  expect(text).toContain('/admin/v1/tickets/{id}/cancel');
  const anchors = new Set([...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
  const links = [...text.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id);
  expect(links.filter((id) => !anchors.has(id))).toEqual([]);
});
