import { OWNERS_KEYS_MAX } from '../../../core/limits.ts';
import type { Organisation } from '../../../core/records.ts';
import { mayRaiseKeys } from '../../manage/owners-limits.ts';
import type { AdminApp, AdminContext } from '../admin-app.ts';
import { OrganisationScope } from '../organisation-scope.ts';
import { OrganisationChanges, OwnOrganisation } from '../wire/organisation.ts';
import { LOGO_BODY_BYTES_MAX } from '../wire/sheets.ts';
import { sheetChangesOf } from './sheet-settings-routes.ts';

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
          'Its limits apply to each key. The operator of the service changes them: `ticketscan organisations edit` on the store. Where `keysMaxTo` is a number, owners may raise the number of keys to it: while the store has one organisation whose limits the operator never set.',
        response: { 200: OwnOrganisation },
      },
    },
    (request) => shown(new OrganisationScope(request, context).principal.organisation, context),
  );

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
      const { administration, organisationId } = new OrganisationScope(request, context);
      const { keysMax, sheets, ...changes } = request.body;
      const limits = keysMax === undefined ? undefined : { keysMax };
      const organisation = await administration.editOrganisation(organisationId, {
        ...changes,
        limits,
        sheets: sheets && sheetChangesOf(sheets),
      });
      return shown(organisation, context);
    },
  );
}

async function shown(
  organisation: Organisation,
  { store }: AdminContext,
): Promise<OwnOrganisation> {
  const isRaisable =
    organisation.limits.keysMax < OWNERS_KEYS_MAX && (await mayRaiseKeys(store, organisation));
  return { ...organisation, keysMaxTo: isRaisable ? OWNERS_KEYS_MAX : null };
}
