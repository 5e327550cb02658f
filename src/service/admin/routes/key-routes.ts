import type { FastifyRequest } from 'fastify';
import type { ApiKeyRecord } from '../../../core/records.ts';
import { deviceUrls } from '../../http/scan-paths.ts';
import { checkKnownDevice } from '../../manage/key-checks.ts';
import type { AdminApp, AdminContext } from '../admin-app.ts';
import { OrganisationScope } from '../organisation-scope.ts';
import { ownOrigin } from '../security/origin.ts';
import { keyView } from '../views/key-view.ts';
import { Done, Id } from '../wire/common.ts';
import { CreatedKey, Key, KeyChanges, KeyHash, KeyList, NewKey, Rotation } from '../wire/keys.ts';

const tags = ['Keys'];

/** API keys (sections 2.1 and 3.1): everybody may see them, owners change them. */
export function keyRoutes(app: AdminApp, context: AdminContext): void {
  readingRoutes(app, context);
  creationRoute(app, context);
  changeRoutes(app, context);
  rotationRoute(app, context);
}

function readingRoutes(app: AdminApp, context: AdminContext): void {
  app.get(
    '/keys',
    {
      config: { access: 'viewer' },
      schema: {
        tags,
        operationId: 'listKeys',
        summary: 'List the keys that are not deleted',
        description: 'Values cannot be shown again: only their hashes are kept.',
        response: { 200: KeyList },
      },
    },
    async (request) => {
      const scope = new OrganisationScope(request, context);
      const keys = await scope.keys();
      const items = await Promise.all(keys.map((key) => viewOf(scope, key, context)));
      return { items, next: null };
    },
  );

  app.get(
    '/keys/by-hash/:hash',
    {
      config: { access: 'viewer' },
      schema: {
        tags,
        operationId: 'findKeyByHash',
        summary: 'Find a key by the SHA-256 of its value',
        description: 'Finds a leaked key, to disable it, without sending it again.',
        params: KeyHash,
        response: { 200: Key },
      },
    },
    async (request) => {
      const scope = new OrganisationScope(request, context);
      return viewOf(scope, await scope.keyByHash(request.params.hash), context);
    },
  );
}

function creationRoute(app: AdminApp, context: AdminContext): void {
  app.post(
    '/keys',
    {
      config: { access: 'owner' },
      schema: {
        tags,
        operationId: 'createKey',
        summary: 'Create a key',
        description:
          'Only this answer contains the value; for hardware the Card URL and the Heart URL contain it too.',
        body: NewKey,
        response: { 201: CreatedKey },
      },
    },
    async (request, reply) => {
      const scope = new OrganisationScope(request, context);
      const { name, type, events, relay, openSeconds, ...terms } = request.body;
      const options = { name, type, events };
      checkKnownDevice(terms.device, context.deviceFiles ?? []);
      await checkEvents(scope, events);
      const { key, value } = await scope.administration.createKey({
        ...options,
        organisation: scope.organisationId,
        door: { ...(relay && { relay }), ...(openSeconds !== undefined && { openSeconds }) },
        terms,
      });
      return reply.code(201).send(await shownOnce(key, value, { request, scope, context }));
    },
  );
}

/** What only the answer that made a value contains. */
async function shownOnce(
  key: ApiKeyRecord,
  value: string,
  asked: { request: FastifyRequest; scope: OrganisationScope; context: AdminContext },
): Promise<CreatedKey> {
  const { request, scope, context } = asked;
  const base = context.baseUrl ?? originOf(request, context);
  const urls = deviceUrls(key.type, value, base, key.device);
  return { ...(await viewOf(scope, key, context)), key: value, ...urls };
}

function rotationRoute(app: AdminApp, context: AdminContext): void {
  app.post(
    // Under `/keys/` the path could also be read as one of `/keys/by-hash`.
    '/key-rotations/:id',
    {
      config: { access: 'owner' },
      schema: {
        tags,
        operationId: 'rotateKey',
        summary: 'Give a key a new value',
        description:
          'The key stays the same: id, events, limits and log. The old value stays valid until `previousUntil`. Only this answer contains the new value.',
        params: Id,
        body: Rotation,
        response: { 200: CreatedKey },
      },
    },
    async (request) => {
      const scope = new OrganisationScope(request, context);
      const { id } = await scope.key(request.params.id);
      const overlapMs = request.body.overlapSeconds * 1000;
      const { key, value } = await scope.administration.rotateKey(id, overlapMs);
      return shownOnce(key, value, { request, scope, context });
    },
  );
}

function changeRoutes(app: AdminApp, context: AdminContext): void {
  app.patch(
    '/keys/:id',
    {
      config: { access: 'owner' },
      schema: {
        tags,
        operationId: 'changeKey',
        summary: 'Change, enable or disable a key',
        description:
          'Applies to every scan that starts after the answer, in every process on the store.',
        params: Id,
        body: KeyChanges,
        response: { 200: Key },
      },
    },
    async (request) => {
      const scope = new OrganisationScope(request, context);
      const { id } = await scope.key(request.params.id);
      const { name, events, active, relay, openSeconds, ...terms } = request.body;
      checkKnownDevice(terms.device, context.deviceFiles ?? []);
      await checkEvents(scope, events);
      const changed = await scope.administration.editKey(id, {
        ...(name !== undefined && { name }),
        ...(events && { events }),
        ...(active !== undefined && { active }),
        ...(relay && { relay }),
        ...(openSeconds !== undefined && { openSeconds }),
        ...terms,
      });
      return viewOf(scope, changed, context);
    },
  );

  app.delete(
    '/keys/:id',
    {
      config: { access: 'owner' },
      schema: {
        tags,
        operationId: 'deleteKey',
        summary: 'Delete a key permanently',
        description: 'Every request with it that starts after the answer gets 401.',
        params: Id,
        response: { 200: Done },
      },
    },
    async (request) => {
      const scope = new OrganisationScope(request, context);
      const { id } = await scope.key(request.params.id);
      await scope.administration.deleteKey(id);
      return {};
    },
  );
}

function viewOf(scope: OrganisationScope, key: ApiKeyRecord, context: AdminContext): Promise<Key> {
  return keyView(key, scope.principal.organisation, context);
}

/** By id only, and only the organisation's own. @throws TicketscanError `not_found` */
async function checkEvents(
  scope: OrganisationScope,
  events: 'all' | string[] | undefined,
): Promise<void> {
  if (events === undefined || events === 'all') return;
  const own = new Set((await scope.events()).map(({ id }) => id));
  const foreign = events.find((id) => !own.has(id));
  if (foreign !== undefined) await scope.event(foreign);
}

/** As the client names this server. A browser also knows whether TLS ends at a proxy in front. */
function originOf({ headers, host }: FastifyRequest, { isHttps }: AdminContext): string {
  return ownOrigin(headers) ?? `${isHttps ? 'https' : 'http'}://${host}`;
}
