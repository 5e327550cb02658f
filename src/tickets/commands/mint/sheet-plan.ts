import { Writable } from 'node:stream';
import type { StoreAccess } from '../../../service/commands/access/store-access.ts';
import { COMMAND_LINE } from '../../../service/manage/actor.ts';
import { checkedLines, SheetAdministration } from '../../../features/organisations/sheet-settings.ts';
import { printedTicket, type TicketRun } from '../../making/make-ticket.ts';
import { layoutNamed } from '../../sheets/layouts.ts';
import type { SheetContent } from '../../sheets/sheet-content.ts';
import type { SheetOptions } from '../../sheets/write-sheet.ts';
import type { MintOptions } from './mint-options.ts';

/** What the options ask for, and for the rest what the organisation of the event prints. @throws TicketscanError `usage` */
async function contentFrom(
  { language, logo, line, timeZone }: MintOptions,
  run: TicketRun,
  { store, clock, administration }: StoreAccess,
): Promise<SheetContent> {
  const { organisationId } = await administration.findEvent(run.event.id);
  const own = await new SheetAdministration(store, clock, COMMAND_LINE).settingsOf(organisationId);
  const ownLogo = own.logo === null ? undefined : Buffer.from(own.logo, 'base64');
  const givenLogo = logo === undefined || logo === 'none' ? undefined : await logoFrom(logo);
  return {
    timeZone,
    language: language ?? own.language ?? 'en',
    lines: line ? checkedLines(line) : own.lines,
    logo: logo === undefined ? ownLogo : givenLogo,
  };
}

/**
 * The sheet of a run; undefined when none is asked for. One ticket is drawn as a test: what does not fit on the paper must
 * be found before anything is stored.
 * @throws TicketscanError `usage`
 */
export async function sheetFor(
  options: MintOptions,
  run: TicketRun,
  access: StoreAccess,
): Promise<SheetOptions | undefined> {
  if (!options.format.includes('pdf')) return undefined;
  const content = await contentFrom(options, run, access);
  const [{ loadFonts }, { writeSheet }] = await Promise.all([
    import('../../sheets/fonts.ts'),
    import('../../sheets/write-sheet.ts'),
  ]);
  const sheet: SheetOptions = {
    layout: layoutNamed(options.sheet),
    fonts: await loadFonts(options.font),
    ...content,
    title: run.event.name,
  };
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  await writeSheet(nowhere, [printedTicket(run, 0)], sheet);
  return sheet;
}

/** Pictures are seldom needed, and what reads them takes time to load. */
async function logoFrom(file: string): Promise<Buffer> {
  const { readLogoFile } = await import('../../sheets/logo.ts');
  return readLogoFile(file);
}
