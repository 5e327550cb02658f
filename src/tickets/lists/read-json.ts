import { messageOf, TicketscanError } from '../../core/errors.ts';
import { readBoundedText } from '../../kit/bounded-file.ts';
import { keptIndexes, matchColumns, type TableOptions } from './columns.ts';
import { jsonElements } from './json-elements.ts';
import { type ByteSource, readLines } from './read-text.ts';
import type { RowOrFault } from './row-issue.ts';

const ARRAY_START = /^\ufeff?\s*\[/u;

/**
 * Reads a JSON array of objects, or JSON Lines (one object a line), row by row; from what is no file, JSON Lines only. `holder` may be an object of
 * firstName and lastName. A wrong row is an issue, and reading continues after it.
 * @throws TicketscanError when the file cannot be read or is not UTF-8
 */
export async function* readJson(
  source: string | ByteSource,
  options: TableOptions,
): AsyncGenerator<RowOrFault> {
  let line = 0;
  for await (const text of readLines(source)) {
    line += 1;
    if (text.trim() === '') continue;
    if (line === 1 && typeof source === 'string' && ARRAY_START.test(text)) {
      yield* readArray(source, options);
      return;
    }
    yield* rowFrom(text, line, options);
  }
  if (line === 0)
    yield { fault: { line: 1, column: null, message: 'the file is empty', reason: 'list_empty' } };
}

async function* readArray(file: string, options: TableOptions): AsyncGenerator<RowOrFault> {
  const text = readBoundedText(file).replace(/^\ufeff/u, '');
  for (const element of jsonElements(text)) {
    if ('message' in element) yield { fault: { ...element, column: null } };
    else yield* rowFrom(element.text, element.line, options);
  }
}

function* rowFrom(text: string, line: number, options: TableOptions): Generator<RowOrFault> {
  const members = membersOf(text);
  if (typeof members === 'string') {
    yield { fault: { line, column: null, message: members, reason: 'row_not_json' } };
    return;
  }
  const names = members.map(([name]) => name);
  const { columns, faults: issues } = matchColumns(names, options, line);
  const cells = new Map<string, string>();
  for (const [index, column] of columns.entries()) {
    if (column === null) continue;
    const cell = cellOf(members[index]?.[1]);
    if (cell !== undefined) cells.set(column, cell);
    else {
      const message = 'this must be a text, a number or null';
      issues.push({ line, column, message, reason: 'row_value' });
    }
  }
  if (issues.length > 0) yield* issues.map((issue) => ({ fault: issue }));
  else {
    const kept = keptIndexes(names, options).map((index) => cellOf(members[index]?.[1]) ?? '');
    yield { row: { line, cells, kept } };
  }
}

/** The members of an object, or why the text is none. */
function membersOf(text: string): [string, unknown][] | string {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return 'this is not an object';
    }
    return Object.entries(value).flatMap(([name, member]) => flattened(name, member));
  } catch (error) {
    // The position in the message of the engine counts from the start of this element.
    return `this is not valid JSON: ${messageOf(error).replace(/ (?:in JSON )?at position.*$/u, '')}`;
  }
}

function flattened(name: string, member: unknown): [string, unknown][] {
  const isHolder = name === 'holder' && typeof member === 'object';
  return isHolder ? Object.entries(member ?? {}) : [[name, member]];
}

function cellOf(member: unknown): string | undefined {
  if (member === null) return '';
  if (typeof member === 'string') return member;
  return typeof member === 'number' ? String(member) : undefined;
}

/** Rows of a CSV or JSON file, by the ending of its name. @throws TicketscanError `usage` for another ending */
export function formatOf(file: string): 'csv' | 'json' {
  if (/\.(?:csv|tsv|txt)$/iu.test(file)) return 'csv';
  if (/\.(?:json|jsonl|ndjson)$/iu.test(file)) return 'json';
  throw new TicketscanError('usage', `${file}: the name must end in .csv, .json or .jsonl.`);
}
