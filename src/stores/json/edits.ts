import type { Ticket } from '../../core/ticket.ts';
import { type Issue, idOf, LISTS, type List, lineOf, type StoreContent } from './document.ts';

/** A row of the document that a person changed: null for one that was added, or removed. */
export interface Edit {
  readonly list: List;
  readonly id: string;
  readonly before: unknown;
  readonly after: unknown;
}

export interface Edits {
  readonly edits: readonly Edit[];
  /** Says for each edit that cannot be taken over why not. */
  readonly issues: readonly Issue[];
}

/** The document in three versions. */
interface Versions {
  /** The versions that the program wrote. It may have been killed while it replaced one by the next. */
  readonly written: readonly StoreContent[];
  /** The version in the file. */
  readonly file: StoreContent;
  /** The version in the database. */
  readonly stored: StoreContent;
}

interface Row {
  readonly record: unknown;
  readonly line: string;
  readonly index: number;
}

/**
 * Finds what a person changed in the document, row by row. A row that is as the program wrote it was not edited, whatever the database has now.
 * A row that both the person and the program changed is an issue.
 */
export function editsIn(versions: Versions): Edits {
  const found = LISTS.map((list) => editsOfList(list, versions));
  return {
    edits: found.flatMap(({ edits }) => edits),
    issues: found.flatMap(({ issues }) => issues),
  };
}

function editsOfList(list: List, { written, file, stored }: Versions): Edits {
  const known = written.map((content) => rowsOf(list, content));
  const [found, current] = [rowsOf(list, file), rowsOf(list, stored)];
  const edits: Edit[] = [];
  const issues: Issue[] = [];
  for (const id of new Set([...known.flatMap((rows) => [...rows.keys()]), ...found.keys()])) {
    const row = found.get(id);
    const now = current.get(id);
    const lines = known.map((rows) => rows.get(id)?.line);
    if (lines.includes(row?.line) || row?.line === now?.line) continue;
    const not = whyNot({ list, id, row, now, lines });
    if (not) issues.push({ path: pathOf(list, row, not), message: not.why });
    else edits.push({ list, id, before: now?.record ?? null, after: row?.record ?? null });
  }
  return { edits, issues };
}

interface EditedRow {
  readonly list: List;
  readonly id: string;
  /** The row in the file, and the row in the database (`now`); undefined if it is missing there. */
  readonly row: Row | undefined;
  readonly now: Row | undefined;
  /** The row's line in each version that the program wrote. */
  readonly lines: readonly (string | undefined)[];
}

interface Why {
  readonly member?: string;
  readonly why: string;
}

function pathOf(list: List, row: Row | undefined, { member }: Why): Issue['path'] {
  if (!row) return [list];
  return member === undefined ? [list, row.index] : [list, row.index, member];
}

/** Why an edit cannot be taken over. */
function whyNot({ list, id, row, now, lines }: EditedRow): Why | undefined {
  if (lines.some((line) => line !== now?.line)) return whyBoth(id, row, now);
  return list === 'tickets' ? whyNotUses(id, row, now) : undefined;
}

function rowsOf(list: List, content: StoreContent): Map<string, Row> {
  const records: readonly unknown[] = content[list] ?? [];
  return new Map(
    records.map((record, index) => [
      idOf(list, record),
      { record, index, line: lineOf(list, record) },
    ]),
  );
}

/** Uses cannot be edited, because the log is the truth about them. */
function whyNotUses(id: string, row: Row | undefined, now: Row | undefined): Why | undefined {
  if (!now) return undefined;
  const stored = now.record as Ticket;
  const edited = row?.record as Ticket | undefined;
  if (!edited) {
    if (stored.usesConsumed === 0) return undefined;
    return { why: `${id} was used, but is missing; a used ticket can be cancelled, not removed` };
  }
  for (const member of ['usesConsumed', 'lastConsumedAt'] as const) {
    if (edited[member] === stored[member]) continue;
    const of =
      member === 'usesConsumed'
        ? `the log has ${stored.usesConsumed}, not ${edited.usesConsumed}`
        : 'the log has another';
    return { member, why: `${of}; uses cannot be edited` };
  }
  return undefined;
}

function whyBoth(id: string, row: Row | undefined, now: Row | undefined): Why {
  const edit = row ? 'was edited here' : 'was removed here';
  const change = now ? `the program has changed it to ${now.line}` : 'the program has deleted it';
  return { why: `${id} ${edit}, and meanwhile ${change}` };
}
