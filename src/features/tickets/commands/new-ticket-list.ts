import { TicketscanError } from '../../../core/errors.ts';
import type { EventRecord } from '../../../core/records.ts';
import type { OptionsOf } from '../../../terminal/command.ts';
import type { ListFormat } from '../../../tickets/lists/read-rows.ts';
import {
  NEW_TICKET_COLUMNS,
  readSpecList,
  type SpecDefaults,
  type SpecList,
} from '../../../tickets/lists/ticket-list.ts';
import { likelyShop } from '../shop-maps.ts';
import {
  type addListOptions,
  type addShopOptions,
  choicesFrom,
  meaningsFrom,
  parseHeadings,
  referenceFrom,
  refuseIssues,
  shopRowsFrom,
} from './list-options.ts';

/** The options of a list whose rows each ask for a new ticket. */
export interface NewTicketOptions
  extends OptionsOf<typeof addListOptions>,
    OptionsOf<typeof addShopOptions> {
  readonly reference?: string | undefined;
  readonly skipBad?: boolean | undefined;
}

/** The list, and what its tickets are made for. */
interface NewTicketFile {
  readonly file: string;
  readonly format: ListFormat;
  readonly event: Pick<EventRecord, 'id' | 'name'>;
  readonly defaults: SpecDefaults;
  readonly ignored: readonly string[];
  /** Headings whose cells are handed on. */
  readonly kept?: readonly string[];
}

const KNOWN = Object.keys(NEW_TICKET_COLUMNS);

/**
 * Reads a list whose rows each ask for a new ticket, such as that of a shop.
 * @throws TicketscanError `usage` for options and rows that do not fit, each named, and for a list without tickets
 */
export async function readNewTickets(
  { file, ...list }: NewTicketFile,
  options: NewTicketOptions,
): Promise<SpecList> {
  const { columns, encoding, quantity, worksheet, skipBad } = options;
  const named = columns === undefined ? {} : parseHeadings(columns, KNOWN);
  const { reference, headings: ofReference } = referenceFrom(options.reference);
  const read = await readSpecList(file, {
    ...list,
    headings: { ...named, ...ofReference },
    only: choicesFrom(options.only),
    quantity,
    meanings: await meaningsFrom(options, async (name) => name),
    encoding,
    worksheet,
    ...shopRowsFrom(options),
    reference,
    uniqueReference: isUnique(options),
  });
  const valid = read.items.length + read.cancelled.length;
  const shop = options.map === undefined ? likelyShop(read.issues) : undefined;
  refuseIssues(file, read.issues, KNOWN, { skipBad, valid, shop });
  if (valid > 0) return read;
  throw new TicketscanError(
    'usage',
    `The list ${file} has no tickets. Write one in each row, below the headings.`,
  );
}

/** Whether each ticket is made for a reference that no other has: a list that updates tickets must find them. */
export function isUnique({
  uniqueReference,
  update,
}: {
  readonly uniqueReference?: boolean | undefined;
  readonly update?: boolean | undefined;
}): boolean {
  return uniqueReference === true || update === true;
}
