import { PERSONAL_MEMBERS } from '../../core/personal-texts.ts';
import { LISTS, type List } from './document.ts';
import { inline } from './lines.ts';

/** A row that two texts have differently; undefined where one does not have it. */
export interface RowChange {
  readonly list: List;
  readonly id: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** The rows that differ between two texts. The program wrote both, so only lines that differ are looked at. */
export function changesBetween(before: string, after: string): RowChange[] {
  const [known, now] = [linesOf(before), linesOf(after)];
  return LISTS.flatMap((list) => {
    const changes = new Map<string, RowChange>();
    for (const line of now[list]) {
      if (known[list].has(line)) continue;
      const id = idOfLine(list, line);
      changes.set(id, { list, id, before: undefined, after: line });
    }
    for (const line of known[list]) {
      if (now[list].has(line)) continue;
      const id = idOfLine(list, line);
      changes.set(id, { list, id, before: line, after: changes.get(id)?.after });
    }
    return [...changes.values()];
  });
}

const NUMBER = /^ {2}"written": (\d+),\n/m;

/** The number of a text, which the program raises with each. */
export function numberOf(text: string): number | undefined {
  const [, digits] = NUMBER.exec(text) ?? [];
  return digits === undefined ? undefined : Number(digits);
}

export function withoutNumber(text: string): string {
  return text.replace(NUMBER, '');
}

const OF_A_LIST = /^ {2}"(\w+)": \[$/;
const OF_A_ROW = /^ {4}(\{.*\}),?$/;

function linesOf(text: string): Record<List, Set<string>> {
  const lines = Object.fromEntries(LISTS.map((list) => [list, new Set<string>()])) as Record<
    List,
    Set<string>
  >;
  let list: List | undefined;
  for (const line of text.split('\n')) {
    const [, name] = OF_A_LIST.exec(line) ?? [];
    if (name !== undefined) list = LISTS.find((one) => one === name);
    const [, row] = OF_A_ROW.exec(line) ?? [];
    if (row !== undefined && list) lines[list].add(row);
  }
  return lines;
}

function idOfLine(list: List, line: string): string {
  const { kind, id } = JSON.parse(line) as { readonly kind: string; readonly id: string };
  return list === 'administrative' ? `${kind} ${id}` : id;
}

const PERSONAL: readonly string[] = PERSONAL_MEMBERS;

/** The line of a row without what is forgotten with a guest. */
export function withoutPersonal(list: List, line: string): string {
  if (list !== 'tickets') return line;
  const members = Object.entries(JSON.parse(line) as object);
  return inline(Object.fromEntries(members.filter(([name]) => !PERSONAL.includes(name))));
}

/** Whether a change takes a personal text away. */
export function erases({ list, before, after }: RowChange): boolean {
  if (list !== 'tickets' || before === undefined) return false;
  const [had, has] = [before, after ?? '{}'].map((line) => JSON.parse(line) as object);
  return PERSONAL.some((name) => name in (had as object) && !(name in (has as object)));
}
