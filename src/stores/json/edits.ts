import type { Ticket } from '../../core/ticket.ts';
import { type Base, type Row, rowsOf } from './bases.ts';
import { type Issue, LISTS, type List, type StoreContent } from './document.ts';
import { rowIssue } from './row-rules.ts';

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
  /** The tickets of guests who were erased since: what the document says of these guests does not come back, edited or not. */
  readonly erased: readonly string[];
}

/** The document in three versions. */
interface Versions {
  /** The version that the person began with. */
  readonly base: Base;
  /** The version in the file. */
  readonly file: StoreContent;
  /** The version in the database. */
  readonly stored: StoreContent;
}

/**
 * What a person changed in the document, row by row. A row that is as the person found it was not edited, whatever the database has now;
 * one that both changed is an issue.
 */
export function editsIn(versions: Versions): Edits {
  const found = LISTS.map((list) => editsOfList(list, versions));
  return {
    edits: found.flatMap(({ edits }) => edits),
    issues: found.flatMap(({ issues }) => issues),
    erased: found.flatMap(({ erased }) => erased),
  };
}

function editsOfList(list: List, { base, file, stored }: Versions): Edits {
  const [found, current] = [rowsOf(list, file), rowsOf(list, stored)];
  const edits: Edit[] = [];
  const issues: Issue[] = [];
  const ids = [...new Set([...base.ids(list), ...found.keys()])].filter(
    (id) => found.get(id)?.line !== current.get(id)?.line,
  );
  const isTouched = (id: string) => !base.isUntouched(list, id, found.get(id));
  for (const id of ids.filter(isTouched)) {
    const row = found.get(id);
    const now = current.get(id);
    const isUnchanged = base.isUnchanged(list, id, now);
    const not = whyNot({ list, id, row, now, isUnchanged });
    if (not) issues.push({ path: pathOf(list, row, not), message: not.why });
    else edits.push({ list, id, before: now?.record ?? null, after: row?.record ?? null });
  }
  const erased = ids.filter((id) => !isTouched(id) && base.isErased(list, id));
  return { edits, issues, erased };
}

interface EditedRow {
  readonly list: List;
  readonly id: string;
  /** The row in the file, and the row in the database (`now`); undefined if it is missing there. */
  readonly row: Row | undefined;
  readonly now: Row | undefined;
  /** Whether the program left it as the person found it. */
  readonly isUnchanged: boolean;
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
function whyNot({ list, id, row, now, isUnchanged }: EditedRow): Why | undefined {
  if (!isUnchanged) return whyBoth(id, row, now);
  const uses = list === 'tickets' ? whyNotUses(id, row, now) : undefined;
  return uses ?? (row && rowIssue(list, row.record));
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
