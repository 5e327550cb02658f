import { Command } from 'commander';
import * as z from 'zod';
import { TicketscanError } from '../../core/errors.ts';
import { inZone, shownTime } from '../../core/time-zone.ts';
import { WEBHOOK_EVENTS, type WebhookEvent } from '../../core/webhook-events.ts';
import { sanitizeForTerminal } from '../../kit/safe-text.ts';
import { warnDuplicateName } from '../../operations/names.ts';
import { zoneOf } from '../../operations/zone.ts';
import type { CliIo } from '../../terminal/io.ts';
import { note } from '../../terminal/messages.ts';
import { confirm } from '../../terminal/prompts.ts';
import { showRecords, showResult } from '../../terminal/results.ts';
import { addSettings } from '../../terminal/setting-options.ts';
import {
  ChangedWebhook,
  CreatedWebhook,
  Webhook,
  WebhookDelivery,
} from '../admin/wire/webhooks.ts';
import { findNamed } from '../manage/record-checks.ts';
import type { WebhookChanges } from '../webhooks/webhooks.ts';
import { DATA_SETTINGS, withData } from './access/data-access.ts';
import type { DataWebhooks } from './access/webhook-access.ts';
import { WEBHOOK_SETTINGS } from './serve/server-settings.ts';

interface WebhookFlags {
  readonly name?: string;
  readonly endpoint?: string;
  readonly events?: string;
  readonly organisation?: string;
  readonly enable?: boolean;
  readonly disable?: boolean;
  readonly newSecret?: boolean;
  readonly json?: boolean;
  readonly yes?: boolean;
}

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

const SETTINGS = [...DATA_SETTINGS, ...WEBHOOK_SETTINGS] as const;

/** `ticketscan webhooks`: where events are sent to. */
export function command(io: CliIo): Command {
  return new Command('webhooks')
    .description('Send what happens at the gates to other software.')
    .addHelpText('after', EXAMPLES)
    .addCommand(createCommand(io))
    .addCommand(listCommand(io))
    .addCommand(editCommand(io))
    .addCommand(deleteCommand(io))
    .addCommand(testCommand(io))
    .addCommand(deliveriesCommand(io));
}

const WEBHOOK = 'its id or name';
const EVENTS = 'these events only, separated by commas; all of them by default';

function createCommand(io: CliIo): Command {
  const create = new Command('create')
    .description('Create a webhook. It gets what happens from now on.')
    .requiredOption('--name <name>', 'the name')
    .requiredOption('--endpoint <url>', 'where messages are posted to: https://…')
    .option('--events <list>', EVENTS)
    .option('--organisation <name>', 'whose events; not needed if only one exists')
    .option('--json', 'the webhook as JSON, with its secret')
    .action(async (flags: WebhookFlags) => {
      await withWebhooks(io, flags, async (webhooks) => {
        const { name = '', endpoint: url = '', organisation } = flags;
        const made = await webhooks.create({ name, url, events: eventsIn(flags) }, organisation);
        warnDuplicateName(io, 'webhook', made, await webhooks.list());
        const line = `Webhook "${sanitizeForTerminal(made.name)}" has the id ${made.id}.`;
        showResult(io, flags, z.encode(CreatedWebhook, made), line);
        if (!flags.json) tellSecret(io, made.secret);
      });
    });
  return addSettings(create, SETTINGS);
}

function tellSecret(io: CliIo, secret: string): void {
  io.out(`Secret: ${secret}`);
  note(io, 'The secret is shown only once. The receiver verifies the signatures with it.');
}

function listCommand(io: CliIo): Command {
  const list = new Command('list')
    .description('List webhooks with their state.')
    .option('--json', 'a JSON array')
    .action(async (flags: WebhookFlags) => {
      await withWebhooks(io, flags, async (webhooks, zone) => {
        showRecords(io, flags, await webhooks.list(), {
          empty:
            'No webhooks yet. Create one: ticketscan webhooks create --name ERP --endpoint URL',
          json: (one) => z.encode(Webhook, one),
          heads: ['ID', 'NAME', 'STATE', 'DELIVERED', 'ENDPOINT'],
          row: (one) => [one.id, one.name, stateText(one, zone), String(one.delivered), one.url],
        });
      });
    });
  return addSettings(list, SETTINGS);
}

function stateText({ state, failingSince, switchedOffAt }: Webhook, zone: string): string {
  const since = (at: number | null) => inZone(shownTime(at, zone) ?? '', zone);
  if (state === 'switched_off') return `switched off since ${since(switchedOffAt)}`;
  return state === 'failing' ? `failing since ${since(failingSince)}` : state;
}

function editCommand(io: CliIo): Command {
  const edit = new Command('edit')
    .description('Change a webhook; holds from the next message on.')
    .argument('<webhook>', WEBHOOK)
    .option('--name <name>', 'the new name')
    .option('--endpoint <url>', 'the new address')
    .option('--events <list>', EVENTS)
    .option('--enable', 'deliver again, from where it stopped')
    .option('--disable', 'pause it; what happens meanwhile is delivered later')
    .option('--new-secret', 'make another secret; the earlier one signs beside it for 24 hours')
    .option('--json', 'the webhook as JSON')
    .action(async (nameOrId: string, flags: WebhookFlags) => {
      await withWebhook(io, nameOrId, flags, async ({ id }, webhooks, zone) => {
        const changed = await webhooks.edit(id, changesIn(flags));
        const line = `Webhook "${sanitizeForTerminal(changed.name)}" is ${stateText(changed, zone)}.`;
        showResult(io, flags, z.encode(ChangedWebhook, changed), line);
        if (!flags.json && changed.secret !== undefined) tellSecret(io, changed.secret);
      });
    });
  return addSettings(edit, SETTINGS);
}

function deleteCommand(io: CliIo): Command {
  const remove = new Command('delete')
    .description('Delete a webhook; what it has not got is not sent.')
    .argument('<webhook>', WEBHOOK)
    .option('--yes', 'do not ask')
    .action(async (nameOrId: string, flags: WebhookFlags) => {
      await withWebhook(io, nameOrId, flags, async ({ id, name }, webhooks) => {
        const shown = sanitizeForTerminal(name);
        const consequence = `Webhook "${shown}" gets no more messages.`;
        if (!(await confirm(io, { consequence, yes: flags.yes, needsYes: false }))) return;
        await webhooks.delete(id);
        io.out(`Webhook "${shown}" (${id}) was deleted.`);
      });
    });
  return addSettings(remove, SETTINGS);
}

function testCommand(io: CliIo): Command {
  const test = new Command('test')
    .description('Send a test message and tell what came of it; 1 when it was not delivered.')
    .argument('<webhook>', WEBHOOK)
    .option('--json', 'the attempt as JSON')
    .action(async (nameOrId: string, flags: WebhookFlags) => {
      await withWebhook(io, nameOrId, flags, async ({ id }, webhooks) => {
        const attempt = await webhooks.test(id);
        showResult(io, flags, z.encode(WebhookDelivery, attempt), attemptText(attempt));
        io.exit(attempt.error === null ? 0 : 1);
      });
    });
  return addSettings(test, SETTINGS);
}

function attemptText({ error, status, ms }: WebhookDelivery): string {
  if (error === null) return `Delivered: HTTP ${status} after ${ms} ms.`;
  return `Not delivered after ${ms} ms: ${sanitizeForTerminal(error)}`;
}

function deliveriesCommand(io: CliIo): Command {
  const deliveries = new Command('deliveries')
    .description('List the latest 50 attempts, newest first.')
    .argument('<webhook>', WEBHOOK)
    .option('--json', 'a JSON array')
    .action(async (nameOrId: string, flags: WebhookFlags) => {
      await withWebhook(io, nameOrId, flags, async ({ id }, webhooks, zone) => {
        showRecords(io, flags, await webhooks.deliveries(id), {
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
      });
    });
  return addSettings(deliveries, SETTINGS);
}

function changesIn(flags: WebhookFlags): WebhookChanges {
  const { name, endpoint: url, newSecret, enable, disable } = flags;
  if (enable && disable) {
    throw new TicketscanError('usage', '--enable and --disable cannot be combined: give one.');
  }
  const active = enable ? true : disable ? false : undefined;
  const changes = { name, url, events: eventsIn(flags), active, newSecret };
  if (Object.values(changes).some((one) => one !== undefined)) return changes;
  throw new TicketscanError(
    'usage',
    'Nothing to change: give --name, --endpoint, --events, --enable, --disable or --new-secret.',
  );
}

async function withWebhooks(
  io: CliIo,
  flags: WebhookFlags,
  work: (webhooks: DataWebhooks, zone: string) => Promise<void>,
): Promise<void> {
  await withData(io, { ...flags }, async (access) =>
    work(await access.webhooks(), await zoneOf(access.store)),
  );
}

async function withWebhook(
  io: CliIo,
  nameOrId: string,
  flags: WebhookFlags,
  work: (webhook: Webhook, webhooks: DataWebhooks, zone: string) => Promise<void>,
): Promise<void> {
  await withWebhooks(io, flags, async (webhooks, zone) =>
    work(findNamed('webhook', nameOrId, await webhooks.list()), webhooks, zone),
  );
}

/** Which ones exist is checked where they are kept. */
function eventsIn({ events }: WebhookFlags): WebhookEvent[] | undefined {
  return events?.split(',').map((one) => one.trim() as WebhookEvent);
}
