import * as z from 'zod';
import { reaches } from '../../core/administrative-records.ts';
import { TimeOrNull } from '../../core/records.ts';
import { DAY_MS } from '../../kit/durations.ts';
import type { StoreAddress } from '../../stores/open-store.ts';
import type { RecordStore } from '../../stores/record-store.ts';
import { type OperationContext, operation, serverOf } from '../context.ts';
import { isSiteStore } from '../sites/site-records.ts';

export const Server = z
  .object({
    version: z.string(),
    engine: z.enum(['sqlite', 'memory', 'json', 'postgres']),
    /** Whether this server has controls that only tests want. */
    testControls: z.boolean(),
    /** How many days after the end of a ticket this server erases what tells of its guest; null for never. */
    keepHoldersDays: z.number().int().nullable(),
    /** The address at which devices reach the service, if it was set. */
    baseUrl: z.string().nullable(),
    /** The names of the device files that this server has. */
    deviceFiles: z.array(z.string()).optional(),
    /** The last backup; null for whom it does not concern. */
    backup: z.object({ at: TimeOrNull, overdue: z.boolean() }).nullable(),
  })
  .meta({ id: 'Server' });
export type Server = z.output<typeof Server>;

export const getServer = operation({
  id: 'getServer',
  http: 'GET /server',
  tag: 'Server',
  role: 'viewer',
  summary: 'Version, store and settings of this server',
  description:
    'To an owner of the only organisation of a lasting store, `backup` says when the last `ticketscan store backup` was made, and whether a new one is overdue: after 7 days, or without any from 100 tickets on, and only of SQLite. To others, and in memory, it is null.',
  answer: Server,
  run: async (context) => {
    const server = serverOf(context);
    const { version, engine, testControls, keepHoldersDays = null } = server;
    const { baseUrl = null, deviceFiles = [] } = server;
    const backup = await backupFor(context, engine);
    return { version, engine, testControls, keepHoldersDays, baseUrl, deviceFiles, backup };
  },
});

/** The backup is of the whole store: it concerns the owners of the only organisation. */
async function backupFor(
  { store, clock, scope }: OperationContext,
  engine: Server['engine'],
): Promise<Server['backup']> {
  if (engine === 'memory' || !reaches(scope.role, 'owner')) return null;
  if ((await store.list('organisation', { limit: 2 })).length !== 1) return null;
  const { at, isOverdue } = await lastBackup(store, engine, clock.now());
  return { at, overdue: isOverdue };
}

const LAST = { kind: 'backup', id: 'last' } as const;
const OVERDUE_AFTER_MS = 7 * DAY_MS;
/** The number of tickets below which somebody is still trying things out. */
const TICKETS_WORTH_A_BACKUP = 100;

/** The last `store backup` that succeeded. */
export interface LastBackup {
  /** The time of the state in the backup, in milliseconds since 1970 UTC; null without a backup. */
  readonly at: number | null;
  /** True when somebody should make a new one. */
  readonly isOverdue: boolean;
}

/** Notes a backup in the store from which it was made. @param at the time of the state in the backup */
export async function noteBackup(
  store: Pick<RecordStore, 'read' | 'write'>,
  at: number,
): Promise<void> {
  const found = await store.read(LAST.kind, LAST.id);
  await store.write({
    administrative: [{ ...LAST, revision: found?.revision ?? 0, value: { at } }],
    audit: [],
  });
}

/**
 * Only a SQLite store can be overdue: the tools of PostgreSQL, and copies of the files of a JSON store, leave no note. That of a site
 * cannot, because it has nothing that its centre does not have.
 * @param now milliseconds since 1970 UTC
 */
export async function lastBackup(
  store: Pick<RecordStore, 'read' | 'listTickets'>,
  engine: StoreAddress['engine'],
  now: number,
): Promise<LastBackup> {
  const found = await store.read(LAST.kind, LAST.id);
  const at = found ? (found.value as { readonly at: number }).at : null;
  if (engine !== 'sqlite' || (await isSiteStore(store))) return { at, isOverdue: false };
  if (at !== null) return { at, isOverdue: now - at > OVERDUE_AFTER_MS };
  const tickets = await store.listTickets({ limit: TICKETS_WORTH_A_BACKUP });
  return { at, isOverdue: tickets.length === TICKETS_WORTH_A_BACKUP };
}
