import * as z from 'zod';
import type { AuditLogEntry } from '../../core/administrative-records.ts';
import { Time } from '../../core/records.ts';
import { PageLimit } from '../../operations/fields.ts';
import { operation } from '../context.ts';

export const AuditEntry = z
  .object({
    sequence: z.number().int(),
    at: Time,
    /** The account, `command line`, `document`, a site such as `site "Pool North"`, or at a site its `centre`. */
    by: z.string(),
    /** Distinguishes an account from all others, whatever its name is. */
    byKind: z.enum(['account', 'command_line', 'document', 'site', 'centre']),
    accountId: z.string().nullable(),
    act: z.string(),
    /** The object of the change. */
    subject: z.string(),
    details: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'AuditEntry' });

export const readAuditLog = operation({
  id: 'readAuditTrail',
  http: 'GET /audit-log',
  tag: 'Audit log',
  // It names accounts, and only owners may see those.
  role: 'owner',
  summary: 'The audit log: who changed what, and when; newest first',
  query: z.object({
    before: z.coerce.number().int().min(1).optional(),
    limit: PageLimit,
  }),
  answer: z.object({ items: z.array(AuditEntry), next: z.number().int().nullable() }),
  run: async ({ store, scope }, { before, limit }) => {
    const { id: organisationId } = await scope.onlyOne();
    const entries = await store.readAuditLog({
      organisationId,
      limit,
      ...(before !== undefined && { beforeSequence: before }),
    });
    const items = entries.map(({ organisationId: _, ...entry }) => ({
      ...entry,
      byKind: kindOfAuthor(entry),
    }));
    const last = entries.length === limit ? entries.at(-1) : undefined;
    return { items, next: last?.sequence ?? null };
  },
});

function kindOfAuthor({
  accountId,
  act,
}: Pick<AuditLogEntry, 'accountId' | 'act'>): z.infer<typeof AuditEntry>['byKind'] {
  if (accountId !== null) return 'account';
  return KINDS_BY_ACT[act] ?? 'command_line';
}

/** What no person does. */
const KINDS_BY_ACT: Readonly<Record<string, z.infer<typeof AuditEntry>['byKind']>> = {
  'document.edit': 'document',
  'site.connect': 'site',
  'event.arrive': 'site',
  'event.return': 'site',
  'event.forget': 'centre',
};
