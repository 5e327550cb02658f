import type { FastifyRequest } from 'fastify';
import { reaches } from '../../../core/administrative-records.ts';
import { lastBackup } from '../../manage/last-backup.ts';
import type { AdminApp, AdminContext } from '../admin-app.ts';
import { principalOfRequest } from '../security/guard.ts';
import { Server } from '../wire/operations.ts';

/** Facts about this server. */
export function serverRoutes(app: AdminApp, context: AdminContext): void {
  const { version, engine, testControls, baseUrl = null, deviceFiles = [] } = context;
  app.get(
    '/server',
    {
      config: { access: 'viewer' },
      schema: {
        tags: ['Server'],
        operationId: 'getServer',
        summary: 'Version, store and settings of this server',
        description:
          'To an owner of the only organisation of a lasting store, `backup` says when the last `ticketscan store backup` was made, and whether a new one is overdue: after 7 days, or without any from 100 tickets on, and only of SQLite. To others, and in memory, it is null.',
        response: { 200: Server },
      },
    },
    async (request) => {
      const backup = await backupFor(request, context);
      return { version, engine, testControls, baseUrl, deviceFiles: [...deviceFiles], backup };
    },
  );
}

/** The backup is of the whole store: it concerns the owners of the only organisation. */
async function backupFor(
  request: FastifyRequest,
  context: AdminContext,
): Promise<Server['backup']> {
  const { store, engine, clock } = context;
  const { role } = principalOfRequest(request);
  if (engine === 'memory' || !reaches(role, 'owner')) return null;
  if ((await store.list('organisation')).length !== 1) return null;
  const { at, isOverdue } = await lastBackup(store, engine, clock.now());
  return { at, overdue: isOverdue };
}
