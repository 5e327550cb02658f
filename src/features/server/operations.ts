import * as z from 'zod';
import { reaches } from '../../core/administrative-records.ts';
import { TimeOrNull } from '../../core/records.ts';
import { type OperationContext, operation, serverOf } from '../context.ts';
import { lastBackup } from './last-backup.ts';

export const Server = z
  .object({
    version: z.string(),
    engine: z.enum(['sqlite', 'memory', 'json', 'postgres']),
    /** Whether this server has controls that only tests want. */
    testControls: z.boolean(),
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
    const { version, engine, testControls, baseUrl = null, deviceFiles = [] } = serverOf(context);
    const backup = await backupFor(context, engine);
    return { version, engine, testControls, baseUrl, deviceFiles, backup };
  },
});

/** The backup is of the whole store: it concerns the owners of the only organisation. */
async function backupFor(
  { store, clock, scope }: OperationContext,
  engine: Server['engine'],
): Promise<Server['backup']> {
  if (engine === 'memory' || !reaches(scope.role, 'owner')) return null;
  if ((await store.list('organisation')).length !== 1) return null;
  const { at, isOverdue } = await lastBackup(store, engine, clock.now());
  return { at, overdue: isOverdue };
}
