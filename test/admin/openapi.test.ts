import {
  BaseResolver,
  createConfig,
  lintDocument,
  makeDocumentFromString,
} from '@redocly/openapi-core';
import { Validator } from '@seriousme/openapi-schema-validator';
import { beforeAll, expect, test } from 'vitest';
import { sharedService } from './support/shared-service.ts';

const at = sharedService();

interface Served {
  readonly components: { readonly schemas: Record<string, object> };
  readonly servers: { readonly url: string }[];
  readonly tags: { readonly name: string; readonly description: string }[];
  readonly info: { readonly contact: { readonly url: string } };
  // biome-ignore lint/suspicious/noExplicitAny: the document is looked at as it is
  readonly paths: Record<string, Record<string, any>>;
}

let document: Served;
beforeAll(async () => {
  document = (await (await fetch(`${at.service.url}/openapi.json`)).json()) as Served;
});

/** Each operation with its method and path. */
const operations = () =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(
      ([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const,
    ),
  );

test('the document is valid OpenAPI 3.1 and names every route and every scan endpoint', async () => {
  const validator = new Validator();
  const { valid, errors } = await validator.validate({ ...structuredClone(document) });
  expect(errors ?? []).toEqual([]);
  expect([valid, validator.version]).toEqual([true, '3.1']);

  const served = at.service.routes
    .filter((route) => route.includes('/admin/v1'))
    .map((route) => route.replace(/:(\w+)/g, '{$1}'));
  const scans = ['validate', 'consume', 'hw/validate', 'hw/consume', 'hw/heartbeat'];
  const named = operations().map(([name]) => name);
  expect(named.sort()).toEqual([...served, ...scans.map((path) => `POST /scan/${path}`)].sort());
});

test('every tag is described and used, every operation has a description, and the document says whom to ask', () => {
  const { tags, info } = document;
  const used = new Set(operations().flatMap(([, operation]) => operation['tags']));
  expect(new Set(tags.map(({ name }) => name))).toEqual(used);
  expect(tags.filter(({ description }) => !description)).toEqual([]);
  expect(info.contact.url).toMatch(/^https:/);
  const silent = operations().filter(([, { description }]) => !description);
  expect(silent.map(([name]) => name)).toEqual([]);
});

test('every operation says what it does, who may call it, what it answers, and by which id a program calls it', () => {
  for (const [name, { summary, tags, security, responses, operationId }] of operations()) {
    expect(summary, name).toBeTruthy();
    expect(tags, name).toHaveLength(1);
    expect(security, name).toBeDefined();
    expect(Object.keys(responses).length, name).toBeGreaterThan(1);
    expect(operationId, name).toMatch(/^[a-z]+([A-Z][a-z]+)+$/);
  }
  const ids = operations().map(([, { operationId }]) => operationId);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids).toEqual(expect.arrayContaining(['listTickets', 'createKey', 'scanConsume']));
});

test('every body of the administration has the members that it is said to have, and no other', () => {
  const bodies = operations()
    .filter(([name]) => name.includes('/admin/'))
    .flatMap(([name, { requestBody }]) => {
      const schema = requestBody?.content['application/json']?.schema;
      return schema ? [[name, schema.additionalProperties]] : [];
    });
  expect(bodies.length).toBeGreaterThan(20);
  expect(bodies.filter(([, others]) => others !== false)).toEqual([]);
});

test('the text on changes of the organisation names every member that is no plain name', () => {
  const { description, requestBody } = document.paths['/admin/v1/organisation']?.['patch'] ?? {};
  const { schema } = requestBody.content['application/json'];
  const members = Object.keys(schema.properties).filter(
    (name) => !['name', 'timeZone'].includes(name),
  );
  expect(members).toEqual(['keysMax', 'sheets', 'scannersFindGuests', 'insideFrom']);
  for (const member of members) expect(description).toContain(`\`${member}\``);
});

test('a linter finds nothing to say, not even an unused schema', async () => {
  // As a text: to compare an object with the type of its configurations takes the compiler five seconds.
  const config = await createConfig('extends: [recommended]');
  const lint = async (linted: Served) => {
    const source = makeDocumentFromString(JSON.stringify(linted), 'openapi.json');
    return lintDocument({ document: source, config, externalRefResolver: new BaseResolver() });
  };
  expect(await lint(document)).toEqual([]);
  const unused = structuredClone(document);
  unused.components.schemas['Unused'] = { type: 'string' };
  expect((await lint(unused)).map(({ ruleId }) => ruleId)).toEqual(['no-unused-components']);
});

test('an operation that needs a session names no other way to call it', () => {
  const ways = (path: string) => document.paths[`/admin/v1${path}`]?.['post']?.security;
  expect(ways('/password')).toEqual([{ session: [] }]);
  expect(ways('/events')).toEqual([{ session: [] }, { accessToken: [] }]);
  expect(ways('/sessions')).toEqual([]);
});

test('addresses under the document are addresses of the service, also below a path', () => {
  const [{ url } = { url: '' }] = document.servers;
  const below = new URL(`${url}/scan/consume`, 'https://gate.example.org/tickets/openapi.json');
  expect(below.href).toBe('https://gate.example.org/tickets/scan/consume');
});
