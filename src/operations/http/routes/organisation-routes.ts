import { shownOrganisation } from '../../../features/organisations/operations.ts';
import {
  OrganisationChanges,
  OwnOrganisation,
} from '../../../features/organisations/organisation.ts';
import { LOGO_BODY_BYTES_MAX } from '../../../features/organisations/sheets.ts';
import type { AdminApp, AdminContext } from '../admin-app.ts';
import { scopeOf } from '../route.ts';
import { sheetChangesOf } from './sheet-settings-routes.ts';

const tags = ['Organisation'];

/** The caller's organisation with its limits (section 8). Limits are changed on the store, by who runs the service. */
export function organisationRoutes(app: AdminApp, context: AdminContext): void {
  app.patch(
    '/organisation',
    {
      config: { access: 'owner', share: 'uploads' },
      bodyLimit: LOGO_BODY_BYTES_MAX,
      schema: {
        tags,
        operationId: 'editOrganisation',
        summary: 'Change name, time zone, number of keys or printed sheets of your organisation',
        description:
          'The time zone is an IANA name such as `Europe/Berlin`, or null for none. It applies from the next request on. `keysMax` is at most `keysMaxTo`. `sheets` is what tickets have in print: the language, the lines of text below each, and the logo (a PNG in Base64; null removes it); a member that is left out stays. All members are changed, or none.',
        body: OrganisationChanges,
        response: { 200: OwnOrganisation },
      },
    },
    async (request) => {
      const { administration, organisationId } = scopeOf(request, context);
      const { keysMax, sheets, ...changes } = request.body;
      const limits = keysMax === undefined ? undefined : { keysMax };
      const organisation = await administration.editOrganisation(organisationId, {
        ...changes,
        limits,
        sheets: sheets && sheetChangesOf(sheets),
      });
      return shownOrganisation(organisation, context);
    },
  );
}
