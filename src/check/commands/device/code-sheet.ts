import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { TicketscanError } from '../../../core/errors.ts';
import { fileFailure } from '../../../kit/failures.ts';
import type { PrintedTicket } from '../../../tickets/sheets/printed-ticket.ts';
import { sessionCodes } from '../../device/session-record.ts';

const SHEET = 'a4';

/** Prints every code of a session, with its number, as a PDF. @throws TicketscanError `usage` when the file cannot be written */
export async function writeCodeSheet(path: string, key: string): Promise<number> {
  const [{ loadFonts }, { writeSheet }, { layoutNamed }] = await Promise.all([
    import('../../../tickets/sheets/text.ts'),
    import('../../../tickets/sheets/write-sheet.ts'),
    import('../../../tickets/sheets/layouts.ts'),
  ]);
  const target = createWriteStream(path, { mode: 0o600 });
  await once(target, 'open').catch((error: unknown) => {
    throw new TicketscanError('usage', `${path} cannot be written: ${fileFailure(error)}.`);
  });
  const { tickets } = await writeSheet(target, sessionCodes(key).map(printed), {
    layout: layoutNamed(SHEET),
    fonts: await loadFonts([]),
    language: 'en',
    timeZone: 'UTC',
    lines: ['Opens nothing: made for a check of a device.'],
    title: 'Codes of a session of ticketscan check device',
  });
  return tickets;
}

function printed(code: string, index: number): PrintedTicket {
  return {
    id: code.split('.')[1] ?? '',
    eventId: 'check1',
    eventName: 'ticketscan check device',
    holder: { firstName: 'Code', lastName: String(index + 1) },
    code,
    ticketType: 'single',
    usesAllowed: 1,
    validFrom: null,
    validUntil: null,
    createdAt: Date.now(),
  };
}
