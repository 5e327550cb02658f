import * as z from 'zod';
import { TicketJson } from '../../../core/codecs/ticket.ts';
import { Time, TimeOrNull } from '../../../core/codecs/time.ts';
import { REJECTION_REASONS, SCAN_STATUSES } from '../../../core/outcome-names.ts';

const CODE_CHARACTERS_MAX = 4096;

export const NewScan = z.object({
  operation: z.enum(['validate', 'consume']),
  /** The code of the ticket, or its identifier as it is printed. */
  ticketCode: z.string().min(1).max(CODE_CHARACTERS_MAX),
  /** Made for each scan. A repeated request with the same one gets the first answer again, and counts once. */
  requestId: z.string().regex(/^[\w-]{8,64}$/, 'expected 8 to 64 letters, digits, - or _'),
});

const LastUse = z.object({ at: Time, gate: z.string().nullable() });

/** The result of section 2.3, with what only people of the organisation see: `holder` also of a denied ticket, and `lastUse`. */
export const ScanDone = z
  .object({
    valid: z.boolean(),
    status: z.enum(SCAN_STATUSES),
    reason: z.enum(REJECTION_REASONS).nullable(),
    message: z.string(),
    ticket: TicketJson.extend({ eventName: z.string() }).nullable(),
    scannedAt: TimeOrNull,
    /** The newest use before this scan; `gate` is null when it is too far back in the log. Null after a consume. */
    lastUse: LastUse.nullable(),
  })
  .meta({ id: 'ScanDone' });
export type ScanDone = z.output<typeof ScanDone>;

export const LastUseOfTicket = z
  .object({ lastUse: LastUse.nullable() })
  .meta({ id: 'LastUseOfTicket' });
export type LastUseOfTicket = z.output<typeof LastUseOfTicket>;

/** Accounts that have scanned, also deleted ones: entries of the log have their ids in place of a key's. */
export const ScannerList = z.object({
  items: z.array(z.object({ id: z.string(), name: z.string() })),
  next: z.null(),
});
