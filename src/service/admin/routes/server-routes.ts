import type { AdminApp, AdminContext } from '../admin-app.ts';
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
        response: { 200: Server },
      },
    },
    async () => ({ version, engine, testControls, baseUrl, deviceFiles: [...deviceFiles] }),
  );
}
