import type { Organisation as OrganisationRecord } from '../../../core/records.ts';
import type { AdminApp, AdminContext } from '../admin-app.ts';
import { OrganisationScope } from '../organisation-scope.ts';
import { wireTime } from '../views/wire-time.ts';
import { Organisation } from '../wire/organisation.ts';

const tags = ['Organisation'];

/** The caller's organisation with its limits (section 8). Limits are changed on the store, by who runs the service. */
export function organisationRoutes(app: AdminApp, context: AdminContext): void {
  app.get(
    '/organisation',
    {
      config: { access: 'viewer' },
      schema: {
        tags,
        operationId: 'getOrganisation',
        summary: 'Your organisation',
        description:
          'Its limits hold for each key. Who runs the service changes them: `ticketscan organisations edit` on the store.',
        response: { 200: Organisation },
      },
    },
    async (request) =>
      organisationView(new OrganisationScope(request, context).principal.organisation),
  );
}

function organisationView(organisation: OrganisationRecord): Organisation {
  const { id, name, limits, createdAt } = organisation;
  return { id, name, limits, createdAt: wireTime(createdAt) };
}
