import type { FastifyRequest } from 'fastify';
import { Done, Id } from '../../../operations/fields.ts';
import { scopeOf } from '../../../operations/route.ts';
import { newestSequence } from '../../manage/log-reader.ts';
import { httpsSender, type WebhookNetwork } from '../../webhooks/network.ts';
import { Webhooks } from '../../webhooks/webhooks.ts';
import type { AdminApp, AdminContext } from '../admin-app.ts';
import { deliveryView, webhookView } from '../views/webhook-view.ts';
import {
  ChangedWebhook,
  CreatedWebhook,
  NewWebhook,
  WebhookChanges,
  WebhookDelivery,
  WebhookDeliveryList,
  WebhookList,
} from '../wire/webhooks.ts';

const tags = ['Webhooks'];
/** The address may contain a secret. */
const config = { access: 'owner' } as const;

interface WebhookContext extends AdminContext {
  readonly webhookNetwork: WebhookNetwork;
}

/** The webhooks of the organisation. */
export function webhookRoutes(app: AdminApp, given: AdminContext): void {
  const context = { ...given, webhookNetwork: given.webhookNetwork ?? httpsSender() };
  listRoute(app, context);
  changeRoutes(app, context);
  deliveryRoutes(app, context);
}

function webhooksOf(request: FastifyRequest, context: WebhookContext) {
  const { organisationId, actor } = scopeOf(request, context);
  const { store, clock, random, webhookNetwork } = context;
  const { isAllowed, send } = webhookNetwork;
  const webhooks = new Webhooks({ store, clock, random, isAllowed }, actor);
  return { organisationId, webhooks, send };
}

function listRoute(app: AdminApp, context: WebhookContext): void {
  app.get(
    '/webhooks',
    {
      config,
      schema: {
        tags,
        operationId: 'listWebhooks',
        summary: 'List webhooks',
        response: { 200: WebhookList },
      },
    },
    async (request) => {
      const { webhooks, organisationId } = webhooksOf(request, context);
      const newest = await newestSequence(context.store);
      const all = await webhooks.list(organisationId);
      return { items: all.map((state) => webhookView(state, newest)), next: null };
    },
  );
}

function changeRoutes(app: AdminApp, context: WebhookContext): void {
  app.post(
    '/webhooks',
    {
      config,
      schema: {
        tags,
        operationId: 'createWebhook',
        summary: 'Create a webhook',
        description: 'Messages are signed (Standard Webhooks). Only this answer has the secret.',
        body: NewWebhook,
        response: { 201: CreatedWebhook },
      },
    },
    async (request, reply) => {
      const { webhooks, organisationId } = webhooksOf(request, context);
      const { webhook, secret } = await webhooks.create(organisationId, request.body);
      const view = webhookView({ webhook, progress: undefined }, webhook.startAfter);
      return reply.code(201).send({ ...view, secret });
    },
  );

  app.patch(
    '/webhooks/:id',
    {
      config,
      schema: {
        tags,
        operationId: 'editWebhook',
        summary: 'Change a webhook',
        description:
          'When a webhook that was switched off is enabled, deliveries continue where they stopped.',
        params: Id,
        body: WebhookChanges,
        response: { 200: ChangedWebhook },
      },
    },
    async (request) => {
      const { webhooks, organisationId } = webhooksOf(request, context);
      const { id } = request.params;
      const { state, secret } = await webhooks.edit(organisationId, id, request.body);
      const view = webhookView(state, await newestSequence(context.store));
      return secret === undefined ? view : { ...view, secret };
    },
  );
  deleteRoute(app, context);
}

function deleteRoute(app: AdminApp, context: WebhookContext): void {
  app.delete(
    '/webhooks/:id',
    {
      config,
      schema: {
        tags,
        operationId: 'deleteWebhook',
        summary: 'Delete a webhook',
        params: Id,
        response: { 200: Done },
      },
    },
    async (request) => {
      const { webhooks, organisationId } = webhooksOf(request, context);
      await webhooks.delete(organisationId, request.params.id);
      return {};
    },
  );
}

function deliveryRoutes(app: AdminApp, context: WebhookContext): void {
  app.post(
    '/webhooks/:id/test',
    {
      config,
      schema: {
        tags,
        operationId: 'testWebhook',
        summary: 'Send a test message',
        description: 'Waits at most 10 seconds, and answers with the result.',
        params: Id,
        response: { 200: WebhookDelivery },
      },
    },
    async (request) => {
      const { webhooks, organisationId, send } = webhooksOf(request, context);
      return deliveryView(await webhooks.test(organisationId, request.params.id, send));
    },
  );

  app.get(
    '/webhooks/:id/deliveries',
    {
      config,
      schema: {
        tags,
        operationId: 'listWebhookDeliveries',
        summary: 'List the latest attempts of a webhook, newest first',
        params: Id,
        response: { 200: WebhookDeliveryList },
      },
    },
    async (request) => {
      const { webhooks, organisationId } = webhooksOf(request, context);
      const { progress } = await webhooks.find(organisationId, request.params.id);
      return { items: (progress?.deliveries ?? []).map(deliveryView), next: null };
    },
  );
}
