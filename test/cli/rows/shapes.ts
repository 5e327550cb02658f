import * as z from 'zod';
import {
  AccountJson,
  EventJson,
  KeyJson,
  LogEntryJson,
  OrganisationJson,
  TicketJson,
} from '../../../src/core/records.ts';
import { ofEachField } from '../../../src/core/ticket-fields.ts';
import { OwnedAccessToken } from '../../../src/features/accounts/operations.ts';
import { Event } from '../../../src/features/events/operations.ts';
import { getSheetSettings } from '../../../src/features/organisations/operations.ts';
import { Site } from '../../../src/features/sites/operations.ts';
import { ShownTicket, TicketWithCode } from '../../../src/features/tickets/operations.ts';
import {
  ChangedWebhook,
  CreatedWebhook,
  listWebhookDeliveries,
  Webhook,
} from '../../../src/features/webhooks/operations.ts';

const SigningKey = z.object({
  id: z.string(),
  format: z.enum(['TS1', 'TS2']),
  state: z.enum(['active', 'verify-only', 'retired']),
  createdAt: z.iso.datetime(),
});
const KeyWithValue = KeyJson.extend({
  key: z.string(),
  cardUrl: z.url(),
  heartUrl: z.url(),
});
const DeletedKey = KeyJson.or(z.object({ id: z.string(), name: z.string() }));
const EventWithInside = Event.omit({ tickets: true });
const Account = AccountJson.extend({ organisationId: z.string() });
const Counts = z.record(z.string(), z.int());
const WithScans = { scans: z.array(LogEntryJson) };

/**
 * What `--json` prints: that of the operation of the command. Commands whose help lists the members, as `{"ok", "findings"}`,
 * are held to those; `log` prints one object a line.
 */
export const SHAPES: Readonly<Record<string, z.ZodType>> = {
  'events create': EventJson,
  'events edit': EventJson,
  'events archive': EventJson,
  'events unarchive': EventJson,
  'events delete': EventJson.extend({ keys: z.array(z.string()) }),
  'events list': z.array(EventWithInside),
  'events reset-inside': EventWithInside,
  'sites list': z.array(Site),
  'sites show': Site,
  'sites retire': Site,
  'keys create': KeyWithValue,
  'keys list': z.array(
    KeyJson.extend({ requestsThisMonth: z.int(), lastUsedAt: z.iso.datetime().nullable() }),
  ),
  'keys edit': KeyJson,
  'keys rotate': KeyWithValue,
  'keys enable': KeyJson,
  'keys disable': KeyJson,
  'keys delete': DeletedKey,
  seed: z.object({
    baseUrl: z.url(),
    keys: z.record(z.string(), z.string()),
    tickets: z.record(z.string(), z.array(z.looseObject({ code: z.string() }))),
  }),
  'device-files check': z.array(
    z.object({
      name: z.string(),
      title: z.string(),
      proven: z.string(),
      simulated: z.boolean(),
      requests: z.array(z.looseObject({ kind: z.string(), method: z.string() })),
    }),
  ),
  'store info': z.looseObject({ engine: z.string(), bytes: z.int(), counts: Counts }),
  'store copy': z.object({
    from: z.string(),
    to: z.string(),
    resumed: z.boolean(),
    equal: z.literal(true),
    sections: z.record(z.string(), z.object({ records: z.int(), checksum: z.string() })),
  }),
  decode: z.array(
    z.object({
      file: z.string(),
      page: z.int().nullable(),
      code: z.string(),
      ticketId: z.string(),
      verified: z.boolean(),
      format: z.string(),
      signingKey: z.string(),
      revoked: z.boolean().nullable(),
      ticket: TicketJson.nullable(),
      storeAsked: z.boolean(),
      problem: z.string().nullable(),
      decoders: z.array(z.string()),
    }),
  ),
  check: z.array(z.looseObject({ id: z.string(), section: z.string() })),
  mint: z.array(
    TicketWithCode.pick({
      ticketId: true,
      code: true,
      event: true,
      ticketType: true,
      usesAllowed: true,
      holder: true,
      validFrom: true,
      validUntil: true,
      ...ofEachField(() => true as const),
    }),
  ),
  'tickets list': z.array(TicketJson),
  'tickets show': ShownTicket.omit({ code: true }).extend(WithScans),
  'tickets cancel': z.array(TicketJson),
  'tickets reinstate': z.array(TicketJson),
  'tickets replace': ShownTicket.extend(WithScans),
  'tickets edit': TicketJson,
  'tickets undo': LogEntryJson,
  'tickets delete': z.object({ deleted: z.int(), kept: z.int() }),
  'tickets import': z.object({
    imported: z.int(),
    existing: z.int(),
    known: z.int(),
    skippedFaults: z.int(),
  }),
  'organisations create': OrganisationJson,
  'organisations list': z.array(OrganisationJson.extend({ insideFrom: z.string() })),
  'organisations edit': OrganisationJson.extend({
    insideFrom: z.string(),
    sheets: getSheetSettings.answer.optional(),
  }),
  'organisations delete': OrganisationJson,
  log: LogEntryJson,
  'signing-keys list': z.array(SigningKey),
  'signing-keys rotate': z.array(SigningKey),
  'signing-keys retire': z.array(SigningKey),
  'signing-keys reinstate': z.array(SigningKey),
  'accounts create': Account,
  'accounts list': z.array(Account),
  'accounts edit': Account,
  'accounts tokens list': z.array(OwnedAccessToken),
  'webhooks create': CreatedWebhook,
  'webhooks list': z.array(Webhook),
  'webhooks edit': ChangedWebhook,
  'webhooks deliveries': listWebhookDeliveries.answer.shape.items,
};
