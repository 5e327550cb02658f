import type * as z from 'zod';
import { TicketscanError } from '../../../core/errors.ts';
import type { SheetSettings } from '../../../core/sheet-settings.ts';
import { SheetAdministration } from '../../../features/organisations/sheet-settings.ts';
import {
  LOGO_BODY_BYTES_MAX,
  SheetSettingsChanges,
  SheetSettingsJson,
} from '../../../features/organisations/sheets.ts';
import { readLogo } from '../../../tickets/sheets/logo.ts';
import type { AdminApp, AdminContext } from '../admin-app.ts';
import { type AccountScope, scopeOf } from '../route.ts';

const tags = ['Organisation'];

/** What the caller's organisation prints on its tickets. */
export function sheetSettingsRoutes(app: AdminApp, context: AdminContext): void {
  app.get(
    '/organisation/sheets',
    {
      config: { access: 'viewer' },
      schema: {
        tags,
        operationId: 'getSheetSettings',
        summary: 'What is printed on tickets: language, own lines, logo',
        response: { 200: SheetSettingsJson },
      },
    },
    async (request) => {
      const scope = scopeOf(request, context);
      return shown(await sheetsOf(scope, context).settingsOf(scope.organisationId));
    },
  );

  app.patch(
    '/organisation/sheets',
    {
      config: { access: 'owner', share: 'uploads' },
      bodyLimit: LOGO_BODY_BYTES_MAX,
      schema: {
        tags,
        operationId: 'changeSheetSettings',
        summary: 'Change what is printed on tickets',
        body: SheetSettingsChanges,
        response: { 200: SheetSettingsJson },
      },
    },
    async (request) => {
      const scope = scopeOf(request, context);
      const changes = sheetChangesOf(request.body);
      return shown(await sheetsOf(scope, context).edit(scope.organisationId, changes));
    },
  );

  logoRoute(app, context);
}

function logoRoute(app: AdminApp, context: AdminContext): void {
  app.get(
    '/organisation/logo.png',
    {
      config: { access: 'viewer', share: 'short' },
      schema: {
        tags,
        operationId: 'getLogo',
        summary: 'The logo on tickets',
        produces: ['image/png'],
      },
    },
    async (request, reply) => {
      const scope = scopeOf(request, context);
      const { logo } = await sheetsOf(scope, context).settingsOf(scope.organisationId);
      if (logo === null)
        throw new TicketscanError('not_found', 'The organisation has no logo.', {
          reason: 'no_logo',
        });
      return reply.header('content-type', 'image/png').send(Buffer.from(logo, 'base64'));
    },
  );
}

/** @throws TicketscanError `usage` for a logo that cannot be printed */
export function sheetChangesOf({
  language,
  lines,
  logo,
}: z.output<typeof SheetSettingsChanges>): Partial<SheetSettings> {
  return {
    ...(language !== undefined && { language }),
    ...(lines && { lines }),
    ...(logo !== undefined && { logo: logo && checkedLogo(logo) }),
  };
}

/** @throws TicketscanError `usage` */
function checkedLogo(logo: string): string {
  return readLogo(Buffer.from(logo, 'base64')).toString('base64');
}

function sheetsOf({ actor }: AccountScope, { store, clock }: AdminContext): SheetAdministration {
  return new SheetAdministration(store, clock, actor);
}

function shown({ language, lines, logo }: SheetSettings): SheetSettingsJson {
  return { language, lines: [...lines], logo: logo !== null };
}
