import type { Organisation as OrganisationRecord } from '../../core/records.ts';
import type { AdminApp, AdminContext } from '../admin-app.ts';
import { Own } from '../own.ts';
import { wireTime } from '../views/wire-time.ts';
import { Organisation, OrganisationChanges } from '../wire/organisation.ts';

const tags = ['Organisation'];

/** The organisation of whoever asks, and its limits (section 8). */
export function organisationRoutes(app: AdminApp, context: AdminContext): void {
  app.get(
    '/organisation',
    {
      config: { access: 'viewer' },
      schema: { tags, summary: 'Your organisation', response: { 200: Organisation } },
    },
    async (request) => organisationView(new Own(request, context).principal.organisation),
  );

  app.patch(
    '/organisation',
    {
      config: { access: 'owner' },
      schema: {
        tags,
        summary: 'Change its limits',
        description: 'They hold for the next request at every running server.',
        body: OrganisationChanges,
        response: { 200: Organisation },
      },
    },
    async (request) => {
      const own = new Own(request, context);
      const { ratePerSecond, burst, quotaPerMonth, keysMax } = request.body.limits;
      const changed = await own.administration.editLimits(own.organisationId, {
        ...(ratePerSecond !== undefined && { ratePerSecond }),
        ...(burst !== undefined && { burst }),
        ...(quotaPerMonth !== undefined && { quotaPerMonth }),
        ...(keysMax !== undefined && { keysMax }),
      });
      return organisationView(changed);
    },
  );
}

function organisationView(organisation: OrganisationRecord): Organisation {
  const { id, name, limits, createdAt } = organisation;
  return { id, name, limits, createdAt: wireTime(createdAt) };
}
