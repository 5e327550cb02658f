import * as z from 'zod';
import { peopleText } from '../../core/field-shapes.ts';
import {
  LOGO_BYTES_MAX,
  OWNERS_KEYS_MAX,
  SHEET_LINE_CHARACTERS_MAX,
  SHEET_LINES_MAX,
} from '../../core/limits.ts';
import {
  type Organisation,
  OrganisationJson,
  SHEET_LANGUAGES,
  type SheetSettings,
} from '../../core/records.ts';
import { Name } from '../../operations/fields.ts';
import { readLogo } from '../../tickets/sheets/logo.ts';
import { type OperationContext, operation } from '../context.ts';
import { scannersFindGuests } from './guest-search.ts';
import { insideFromOf } from './inside-from.ts';
import { mayRaiseKeys } from './owners-limits.ts';
import { SheetAdministration } from './sheet-settings.ts';

const tag = 'Organisation';

const OwnOrganisation = OrganisationJson.extend({
  /** The number of keys to which its owners may raise their limit; null where only the operator may. */
  keysMaxTo: z.number().int().nullable(),
  /** Whether accounts with the role scanner find guests by name. */
  scannersFindGuests: z.boolean(),
  /** The time of the daily reset of people inside, in its time zone, or `never`. */
  insideFrom: z.string(),
}).meta({ id: 'OwnOrganisation' });

export const getOrganisation = operation({
  id: 'getOrganisation',
  http: 'GET /organisation',
  tag,
  role: 'viewer',
  summary: 'Your organisation',
  description:
    'Its limits apply to each key. The operator of the service changes them: `ticketscan organisations edit` on the store. Where `keysMaxTo` is a number, owners may raise the number of keys to it: while the store has one organisation whose limits the operator never set.',
  answer: OwnOrganisation,
  run: async (context) => shown(await context.scope.onlyOne(), context),
});

const LOGO_CHARACTERS_MAX = Math.ceil((LOGO_BYTES_MAX * 4) / 3) + 4;
/** The longest body of changes with a logo. */
const LOGO_BODY_BYTES_MAX = LOGO_CHARACTERS_MAX + 4096;

/** The settings for what is printed on the organisation's tickets. */
const SheetSettingsJson = z
  .object({
    /** The language; null if none was chosen, which means English. */
    language: z.enum(SHEET_LANGUAGES).nullable(),
    /** The lines below the texts of each ticket. */
    lines: z.array(z.string()),
    /** Whether there is a logo: see `/organisation/logo.png`. */
    logo: z.boolean(),
  })
  .meta({ id: 'SheetSettings' });

const SheetSettingsChanges = z.object({
  language: z.enum(SHEET_LANGUAGES).nullable().optional(),
  lines: z.array(peopleText(SHEET_LINE_CHARACTERS_MAX)).max(SHEET_LINES_MAX).optional(),
  /** A PNG in Base64; null removes it. */
  logo: z.base64().max(LOGO_CHARACTERS_MAX).nullable().optional(),
});

/** Limits but the number of keys are changed on the store, by who runs the service. */
export const editOrganisation = operation({
  id: 'editOrganisation',
  http: 'PATCH /organisation',
  tag,
  role: 'owner',
  share: 'uploads',
  bodyBytesMax: LOGO_BODY_BYTES_MAX,
  summary:
    'Change name, time zone, number of keys, printed sheets, guest search or the count of people inside of your organisation',
  description:
    'The time zone is an IANA name such as `Europe/Berlin`, or null for none. It applies from the next request on. `keysMax` is at most `keysMaxTo`. `sheets` is what tickets have in print: the language, the lines of text below each, and the logo (a PNG in Base64; null removes it); a member that is left out stays. `scannersFindGuests` lets accounts with the role scanner find guests by name, which shows them names. `insideFrom` is when people inside are counted anew each day, at a quarter of an hour of its time zone (that of the server where it has none), such as `04:00`, or `never`. All members are changed, or none.',
  body: z
    .strictObject({
      name: Name.optional(),
      timeZone: z.string().min(1).max(100).nullish(),
      /** The most keys that it may have, never more than `keysMaxTo` of the organisation. */
      keysMax: z.number().int().min(1).optional(),
      sheets: SheetSettingsChanges.optional(),
      /** Whether accounts with the role scanner find guests by name, which shows them names. */
      scannersFindGuests: z.boolean().optional(),
      /** The time of the daily reset of people inside: a quarter of an hour, such as `04:00`, or `never`. */
      insideFrom: z.string().max(100).optional(),
    })
    .refine((changes) => Object.values(changes).some((one) => one !== undefined), {
      error: 'name, timeZone, keysMax, sheets, scannersFindGuests or insideFrom is missing',
    }),
  answer: OwnOrganisation,
  run: async (context, { keysMax, sheets, ...changes }) => {
    const { administration } = context.scope;
    const { id } = await context.scope.onlyOne();
    const organisation = await administration.organisations.edit(id, {
      ...changes,
      limits: keysMax === undefined ? undefined : { keysMax },
      sheets: sheets && sheetChangesOf(sheets),
    });
    return shown(organisation, context);
  },
});

export const getSheetSettings = operation({
  id: 'getSheetSettings',
  http: 'GET /organisation/sheets',
  tag,
  role: 'viewer',
  summary: 'What is printed on tickets: language, lines of your own text, logo',
  answer: SheetSettingsJson,
  run: async (context) => {
    const { id } = await context.scope.onlyOne();
    return shownSheets(await sheetsOf(context).settingsOf(id));
  },
});

export const changeSheetSettings = operation({
  id: 'changeSheetSettings',
  http: 'PATCH /organisation/sheets',
  tag,
  role: 'owner',
  share: 'uploads',
  bodyBytesMax: LOGO_BODY_BYTES_MAX,
  summary: 'Change what is printed on tickets',
  body: SheetSettingsChanges,
  answer: SheetSettingsJson,
  run: async (context, changes) => {
    const { id } = await context.scope.onlyOne();
    return shownSheets(await sheetsOf(context).edit(id, sheetChangesOf(changes)));
  },
});

async function shown(organisation: Organisation, { store }: OperationContext) {
  const isRaisable =
    organisation.limits.keysMax < OWNERS_KEYS_MAX && (await mayRaiseKeys(store, organisation));
  return {
    ...organisation,
    keysMaxTo: isRaisable ? OWNERS_KEYS_MAX : null,
    scannersFindGuests: await scannersFindGuests(store, organisation.id),
    insideFrom: await insideFromOf(store, organisation.id),
  };
}

function shownSheets({ language, lines, logo }: SheetSettings) {
  return { language, lines, logo: logo !== null };
}

function sheetsOf({ store, clock, scope }: OperationContext): SheetAdministration {
  return new SheetAdministration(store, clock, scope.actor);
}

/** @throws TicketscanError `usage` for a logo that cannot be printed */
function sheetChangesOf({
  language,
  lines,
  logo,
}: z.output<typeof SheetSettingsChanges>): Partial<SheetSettings> {
  return {
    ...(language !== undefined && { language }),
    ...(lines && { lines }),
    ...(logo !== undefined && {
      logo: logo && readLogo(Buffer.from(logo, 'base64')).toString('base64'),
    }),
  };
}
