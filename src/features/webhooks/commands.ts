import * as z from 'zod';
import { WEBHOOK_SETTINGS } from '../../config/settings.ts';
import { WEBHOOK_EVENTS, type WebhookEvent } from '../../core/administrative-records.ts';
import { TicketscanError } from '../../core/errors.ts';
import { inZone, shownTime } from '../../core/time-zone.ts';
import { commandGroup } from '../../terminal/command.ts';
import { type CliIo, note } from '../../terminal/io.ts';
import { showRecords, showResult, warnDuplicateName } from '../../terminal/results.ts';
import type { DataAccess } from '../data-access.ts';
import { commandsOn, dataCommand } from '../data-command.ts';
import { findNamed } from '../record-checks.ts';
import { zoneOf } from '../time-zone.ts';
import {
  ChangedWebhook,
  CreatedWebhook,
  createWebhook,
  deleteWebhook,
  editWebhook,
  listWebhookDeliveries,
  listWebhooks,
  testWebhook,
  Webhook,
} from './operations.ts';
import { WebhookDelivery } from './webhook-records.ts';

const EXAMPLES = `
Examples:
  ticketscan webhooks create --name ERP --endpoint https://erp.example.org/scans
  ticketscan webhooks create --name Alarm --endpoint https://alarm.example.org/in --events device.offline,quota.warning
  ticketscan webhooks list
  ticketscan webhooks test ERP
  ticketscan webhooks deliveries ERP
  ticketscan webhooks edit ERP --enable            after 72 hours of failures it is switched off

Events: ${WEBHOOK_EVENTS.join(', ')}.
Messages are signed as Standard Webhooks 1.0; the secret is shown once. A running server delivers them, over HTTPS only.`;

const settings = WEBHOOK_SETTINGS;
const WEBHOOK = ['<webhook>', 'its id or name'] as const;
const EVENTS = 'these events only, separated by commas; all of them by default';

const onWebhook = commandsOn({ argument: WEBHOOK, find: findWebhook, settings });

/** `ticketscan webhooks`: where events are sent to. */
export function command(io: CliIo) {
  return commandGroup(io, 'webhooks', {
    summary: 'Send what happens at the gates to other software.',
    help: EXAMPLES,
    commands: [
      createCommand,
      listCommand,
      editCommand,
      deleteCommand,
      testCommand,
      deliveriesCommand,
    ],
  });
}

const editCommand = onWebhook({
  name: 'edit',
  summary: 'Change a webhook. Applies from the next message.',
  options: (edit) =>
    edit
      .option('--name <name>', 'the new name')
      .option('--endpoint <url>', 'the new address')
      .option('--events <list>', EVENTS)
      .option('--enable', 'deliver again, from where it stopped')
      .option('--disable', 'pause it; messages wait and are delivered later')
      .option(
        '--new-secret',
        'make a new secret; for 24 hours messages are signed with the earlier one too',
      ),
  json: 'the webhook as JSON',
  mustChange: true,
  check: ({ enable, disable }) => {
    if (enable && disable)
      throw new TicketscanError('usage', '--enable and --disable cannot be combined: give one.');
  },
  operation: editWebhook,
  input: ({ name, endpoint: url, events, enable, disable, newSecret }) => ({
    name,
    url,
    events: eventsIn(events),
    newSecret,
    active: enable ?? (disable ? false : undefined),
  }),
  text: async (changed, _, access) =>
    `Webhook "${changed.name}" is ${stateText(changed, await zoneOf(access))}.`,
  value: (changed) => z.encode(ChangedWebhook, changed),
  after: ({ secret }, { json }, { io }) => {
    if (!json && secret !== undefined) showSecret(io, secret);
  },
});

const deleteCommand = onWebhook({
  name: 'delete',
  summary: 'Delete a webhook; messages that still wait are not sent.',
  operation: deleteWebhook,
  confirm: ({ name }) => `Webhook "${name}" gets no more messages.`,
  text: (_, { id, name }) => `Webhook "${name}" (${id}) was deleted.`,
});

const testCommand = onWebhook({
  name: 'test',
  summary: 'Send a test message and show the result; exit code 1 if it was not delivered.',
  json: 'the attempt as JSON',
  operation: testWebhook,
  text: ({ error, status, ms }) =>
    error === null
      ? `Delivered: HTTP ${status} after ${ms} ms.`
      : `Not delivered after ${ms} ms: ${error}`,
  value: (attempt) => z.encode(WebhookDelivery, attempt),
  after: ({ error }, _, { io }) => io.exit(error === null ? 0 : 1),
});

const createCommand = dataCommand({
  name: 'create',
  summary: 'Create a webhook. It gets messages from now on.',
  options: (command) =>
    command
      .requiredOption('--name <name>', 'the name')
      .requiredOption('--endpoint <url>', 'where messages are posted to: https://…')
      .option('--events <list>', EVENTS)
      .option(
        '--organisation <name>',
        'organisation whose events are sent; not needed if only one exists',
      ),
  json: 'the webhook as JSON, with its secret',
  settings,
  run: async ({ io, call, callFor }, options) => {
    const { name, endpoint: url, organisation } = options;
    const create = await callFor(organisation);
    const made = await create(createWebhook, { name, url, events: eventsIn(options.events) });
    warnDuplicateName(io, 'webhook', made, (await call(listWebhooks, {})).items);
    const line = `Webhook "${made.name}" has the id ${made.id}.`;
    showResult(io, options, z.encode(CreatedWebhook, made), line);
    if (!options.json) showSecret(io, made.secret);
  },
});

function showSecret(io: CliIo, secret: string): void {
  io.out(`Secret: ${secret}`);
  note(io, 'The secret is shown only once. The receiver verifies the signatures with it.');
}

const listCommand = dataCommand({
  name: 'list',
  summary: 'List webhooks with their state.',
  json: 'a JSON array',
  settings,
  run: async (access, options) => {
    const zone = await zoneOf(access);
    showRecords(access.io, options, (await access.call(listWebhooks, {})).items, {
      empty: 'No webhooks yet. Create one: ticketscan webhooks create --name ERP --endpoint URL',
      json: (one) => z.encode(Webhook, one),
      heads: ['ID', 'NAME', 'STATE', 'DELIVERED', 'ENDPOINT'],
      row: (one) => [one.id, one.name, stateText(one, zone), String(one.delivered), one.url],
    });
  },
});

function stateText(webhook: Webhook, zone: string): string {
  const { state, failingSince, nextAttemptAt, switchedOffAt } = webhook;
  const time = (at: number | null) => inZone(shownTime(at, zone) ?? '', zone);
  if (state === 'switched_off') return `switched off since ${time(switchedOffAt)}`;
  if (state !== 'failing') return state;
  const next = nextAttemptAt === null ? '' : `, next try at ${time(nextAttemptAt)}`;
  return `failing since ${time(failingSince)}${next}`;
}

const deliveriesCommand = dataCommand({
  name: 'deliveries',
  summary: 'List the latest 50 attempts and 10 tests, newest first.',
  argument: WEBHOOK,
  json: 'a JSON array',
  settings,
  run: async (access, options, nameOrId) => {
    const { id } = await findWebhook(access, nameOrId);
    const zone = await zoneOf(access);
    showRecords(access.io, options, (await access.call(listWebhookDeliveries, { id })).items, {
      empty: 'Nothing was sent yet. Is a server running on the store?',
      json: (one) => z.encode(WebhookDelivery, one),
      heads: [inZone('TIME', zone), 'EVENT', 'ATTEMPT', 'RESULT', 'TOOK', 'ID'],
      row: (one) => [
        shownTime(one.at, zone),
        one.type,
        String(one.attempt),
        one.error ?? `HTTP ${one.status}`,
        `${one.ms} ms`,
        one.id,
      ],
    });
  },
});

async function findWebhook({ call }: DataAccess, nameOrId: string): Promise<Webhook> {
  return findNamed('webhook', nameOrId, (await call(listWebhooks, {})).items);
}

/** Which ones exist is checked where they are kept. */
function eventsIn(events: string | undefined): WebhookEvent[] | undefined {
  return events?.split(',').map((one) => one.trim() as WebhookEvent);
}
