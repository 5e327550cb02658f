import {
  BaseResolver,
  createConfig,
  lintDocument,
  makeDocumentFromString,
} from '@redocly/openapi-core';
import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await TestService.start({ store: 'memory' });
});
afterAll(() => service[Symbol.asyncDispose]());

interface Served {
  readonly components: { readonly schemas: Record<string, object> };
  readonly servers: { readonly url: string }[];
  // biome-ignore lint/suspicious/noExplicitAny: the document is looked at as it is
  readonly paths: Record<string, Record<string, any>>;
}

const documentOf = async () => (await (await get('/openapi.json')).json()) as Served;
const get = (path: string) => fetch(`${service.url}${path}`);

test('the document is valid OpenAPI 3.1 and names every route and every scan endpoint', async () => {
  const document = await documentOf();

  const validator = new Validator();
  const { valid, errors } = await validator.validate({ ...structuredClone(document) });
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
  const { paths } = await documentOf();
  for (const [path, item] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(item)) {
      expect(operation.summary, `${method} ${path}`).toBeTruthy();
      expect(operation.tags, `${method} ${path}`).toHaveLength(1);
      expect(operation.security, `${method} ${path}`).toBeDefined();
      expect(Object.keys(operation.responses).length, `${method} ${path}`).toBeGreaterThan(1);
    }
  }
});

test('the text on changes of the organisation names every member that is no plain name', async () => {
  const { paths } = await documentOf();
  const { description, requestBody } = paths['/admin/v1/organisation']?.['patch'] ?? {};
  const { schema } = requestBody.content['application/json'];
  const members = Object.keys(schema.properties).filter(
    (name) => !['name', 'timeZone'].includes(name),
  );
  expect(members).toEqual(['keysMax', 'sheets']);
  for (const member of members) expect(description).toContain(`\`${member}\``);
});

test('every operation has an id that a program can call it by', async () => {
  const { paths } = await documentOf();
  const ids = Object.values(paths).flatMap((item) =>
    Object.values(item).map(({ operationId }) => operationId),
  );
  for (const id of ids) expect(id).toMatch(/^[a-z]+([A-Z][a-z]+)+$/);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids).toEqual(expect.arrayContaining(['listTickets', 'createKey', 'scanConsume']));
});

test('a linter finds nothing to say, not even an unused schema', async () => {
  const source = makeDocumentFromString(JSON.stringify(await documentOf()), 'openapi.json');
  const config = await createConfig({ extends: ['recommended'] });
  const lint = (document: typeof source) =>
    lintDocument({ document, config, externalRefResolver: new BaseResolver() });

  expect(await lint(source)).toEqual([]);
  const unused = await documentOf();
  unused.components.schemas['Unused'] = { type: 'string' };
  const problems = await lint(makeDocumentFromString(JSON.stringify(unused), 'openapi.json'));
  expect(problems.map(({ ruleId }) => ruleId)).toEqual(['no-unused-components']);
});

test('an operation that needs a session names no other way to call it', async () => {
  const { paths } = await documentOf();
  const ways = (path: string) => paths[`/admin/v1${path}`]?.['post']?.security;
  expect(ways('/password')).toEqual([{ session: [] }]);
  expect(ways('/events')).toEqual([{ session: [] }, { accessToken: [] }]);
  expect(ways('/sessions')).toEqual([]);
});

test('addresses under the document are addresses of the service, also below a path', async () => {
  const { servers } = await documentOf();
  const [{ url } = { url: '' }] = servers;
  const below = new URL(`${url}/scan/consume`, 'https://gate.example.org/tickets/openapi.json');
  expect(below.href).toBe('https://gate.example.org/tickets/scan/consume');
});
