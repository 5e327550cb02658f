import { reaches } from '../../../core/administrative-records.ts';
import { RefusalListJson } from '../../../core/codecs/records.ts';
import { scopeOf } from '../../../operations/route.ts';
import { refusalsOf } from '../../manage/refusal-reader.ts';
import type { AdminApp, AdminContext } from '../admin-app.ts';

/** Scans and heartbeats that were refused because of their key or a limit; they are in no scan log. */
export function refusalRoutes(app: AdminApp, context: AdminContext): void {
  app.get(
    '/refusals',
    {
      config: { access: 'viewer' },
      schema: {
        tags: ['Scan log'],
        operationId: 'readRefusals',
        summary: 'Count requests that were refused because of a key or a limit',
        description:
          'The latest first: with disabled and deleted keys of the organisation, keys of the other integration type, and over a limit. Alike requests are one item. The counts are written within seconds and dropped 30 days after the last request. Unknown and mistyped keys belong to no organisation: `unknownKeys` says whether they are listed, for an owner of the only organisation of the store. Else the operator sees them: `ticketscan log --refused --store URL`.',
        response: { 200: RefusalListJson },
      },
    },
    async (request) => {
      const { organisationId, role } = scopeOf(request, context);
      const isOwner = reaches(role, 'owner');
      const now = context.clock.now();
      const { rows, ...seen } = await refusalsOf(context.store, organisationId, isOwner, now);
      return { items: [...rows], ...seen };
    },
  );
}
