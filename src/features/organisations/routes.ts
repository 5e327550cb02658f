import { refuse } from '../../core/errors.ts';
import type { AdminApp } from '../../operations/http/route.ts';
import { type AdminContext, scopeOf } from '../context.ts';
import { SheetAdministration } from './sheet-settings.ts';

/** The picture that the caller's organisation prints on its tickets. */
export function logoRoute(app: AdminApp, context: AdminContext): void {
  app.get(
    '/organisation/logo.png',
    {
      config: { access: 'viewer', share: 'short' },
      schema: {
        tags: ['Organisation'],
        operationId: 'getLogo',
        summary: 'The logo on tickets',
        produces: ['image/png'],
      },
    },
    async (request, reply) => {
      const { organisationId, actor } = scopeOf(request, context);
      const sheets = new SheetAdministration(context.store, context.clock, actor);
      const { logo } = await sheets.settingsOf(organisationId);
      if (logo === null) throw refuse('no_logo');
      return reply.header('content-type', 'image/png').send(Buffer.from(logo, 'base64'));
    },
  );
}
