import { OrganisationJson } from '../../../core/codecs/records.ts';
import { timesToJson } from '../../../core/codecs/time.ts';
import type { AdminApp, AdminContext } from '../admin-app.ts';
import { OrganisationScope } from '../organisation-scope.ts';
import { OrganisationChanges } from '../wire/organisation.ts';

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
          'Its limits apply to each key. The operator of the service changes them: `ticketscan organisations edit` on the store.',
        response: { 200: OrganisationJson },
      },
    },
    async (request) => timesToJson(new OrganisationScope(request, context).principal.organisation),
  );

  app.patch(
    '/organisation',
    {
      config: { access: 'owner' },
      schema: {
        tags,
        operationId: 'editOrganisation',
        summary: 'Rename your organisation, or set its time zone',
        description:
          'The time zone is an IANA name such as `Europe/Berlin`, or null for none. It applies from the next request on.',
        body: OrganisationChanges,
        response: { 200: OrganisationJson },
      },
    },
    async (request) => {
      const { administration, organisationId } = new OrganisationScope(request, context);
      const { name, timeZone } = request.body;
      let organisation = await administration.findOrganisation(organisationId);
      if (name !== undefined)
        organisation = await administration.renameOrganisation(organisationId, name);
      if (timeZone !== undefined)
        organisation = await administration.editTimeZone(organisationId, timeZone);
      return timesToJson(organisation);
    },
  );
}
