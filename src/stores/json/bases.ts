import { idOf, LISTS, type List, lineOf, type StoreContent } from './document.ts';
import { digestOf, type EarlierRow, keyOf } from './document-changes.ts';
import { withoutPersonal } from './document-lines.ts';

/** A row of a document. */
export interface Row {
  readonly record: unknown;
  readonly line: string;
  readonly index: number;
}

/** The text that a person began to edit. */
export interface Base {
  ids(list: List): readonly string[];
  /** Whether the row was the same in that text: the person did not touch it. */
  isUntouched(list: List, id: string, row: Row | undefined): boolean;
  /** Whether the row is still the same: the program did not change it. */
  isUnchanged(list: List, id: string, row: Row | undefined): boolean;
  /** Whether the row tells of a guest who was erased since. */
  isErased(list: List, id: string): boolean;
}

export function rowsOf(list: List, content: StoreContent): Map<string, Row> {
  const records: readonly unknown[] = content[list] ?? [];
  return new Map(
    records.map((record, index) => [
      idOf(list, record),
      { record, index, line: lineOf(list, record) },
    ]),
  );
}

type Rows = Readonly<Record<List, ReadonlyMap<string, Row>>>;

function allRowsOf(content: StoreContent): Rows {
  const rows = LISTS.map((list) => [list, rowsOf(list, content)]);
  return Object.fromEntries(rows) as Rows;
}

/** The text that was written last: a program may have been killed between two. */
export function baseOfTexts(texts: readonly StoreContent[]): Base {
  const known = texts.map(allRowsOf);
  const lines = (list: List, id: string) => known.map((rows) => rows[list].get(id)?.line);
  return {
    ids: (list) => known.flatMap((rows) => [...rows[list].keys()]),
    isUntouched: (list, id, row) => lines(list, id).includes(row?.line),
    isUnchanged: (list, id, row) => lines(list, id).every((line) => line === row?.line),
    isErased: () => false,
  };
}

/**
 * A text of before.
 * @param last the text that was written last
 * @param changed rows that were otherwise in that text, by `keyOf`
 */
export function baseOfEarlierText(
  last: StoreContent,
  changed: ReadonlyMap<string, EarlierRow | null>,
): Base {
  const { ids, isUntouched } = baseOfTexts([last]);
  const inLists = Object.groupBy(changed.keys(), (key) => key.split(' ', 1)[0] as List);
  return {
    ids: (list) => [
      ...ids(list),
      ...(inLists[list] ?? []).map((key) => key.slice(list.length + 1)),
    ],
    isUntouched(list, id, row) {
      const before = changed.get(keyOf(list, id));
      return before === undefined ? isUntouched(list, id, row) : isSame(list, row, before);
    },
    isUnchanged(list, id, row) {
      const before = changed.get(keyOf(list, id));
      if (before === undefined) return isUntouched(list, id, row);
      // An erased row counts as changed, so that its texts do not come back.
      return before?.line === null ? false : isSame(list, row, before);
    },
    isErased: (list, id) => changed.get(keyOf(list, id))?.line === null,
  };
}

function isSame(list: List, row: Row | undefined, before: EarlierRow | null): boolean {
  if (!row || !before) return !row && !before;
  const { line } = row;
  if (before.line) return isDigest(line, before.line);
  return isDigest(withoutPersonal(list, line), before.impersonal);
}

function isDigest(line: string, digest: Uint8Array): boolean {
  return Buffer.compare(digestOf(line), digest) === 0;
}
