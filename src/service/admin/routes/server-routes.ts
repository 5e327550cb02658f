import type { AdminApp, AdminContext } from '../admin-app.ts';
import { Server } from '../wire/operations.ts';

/** What is running here. */
export function serverRoutes(app: AdminApp, context: AdminContext): void {
  const { version, engine, testControls, baseUrl = null, deviceFiles = [] } = context;
  app.get(
    '/server',
    {
      config: { access: 'viewer' },
      schema: {
        tags: ['Server'],
        operationId: 'getServer',
        summary: 'What is running here',
        response: { 200: Server },
      },
    },
    async () => ({ version, engine, testControls, baseUrl, deviceFiles: [...deviceFiles] }),
  );
}
