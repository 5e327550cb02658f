import { expect } from 'vitest';
import { refuseIssues } from '../../../../src/features/tickets/commands/list-options.ts';
import type { ReadOptions } from '../../../../src/tickets/lists/read-list.ts';
import { NEW_TICKET_COLUMNS, readSpecList } from '../../../../src/tickets/lists/ticket-list.ts';
import { DEFAULTS } from './defaults.ts';

async function* chunksOf(bytes: Buffer): AsyncGenerator<Buffer> {
  // Cut inside characters and line ends.
  for (let at = 0; at < bytes.length; at += 7) yield bytes.subarray(at, at + 7);
}

/** Reads a list as the upload of the page does. */
export function read(list: string | Buffer, options: Partial<ReadOptions> = {}) {
  const bytes = typeof list === 'string' ? Buffer.from(list) : list;
  const source = {
    name: 'the list',
    lineBytesMax: 64 * 1024,
    linesMax: 1000,
    chunks: chunksOf(bytes),
  };
  const event = { id: 'ev1234', name: 'Freibad Süd' };
  const given = { format: 'csv', ignored: [], ...options } as const;
  return readSpecList(source, { defaults: DEFAULTS, event, ...given });
}

/** The names of the guests of a list that has nothing wrong. */
export async function holders(list: string | Buffer, options?: Partial<ReadOptions>) {
  const { items, issues } = await read(list, options);
  expect(issues).toEqual([]);
  return items.map(({ terms: { holder } }) => `${holder?.firstName} ${holder?.lastName}`.trim());
}

/** What is wrong with a list, each with its column. */
export const reasons = async (list: string | Buffer, options?: Partial<ReadOptions>) =>
  (await read(list, options)).issues.map(({ reason, column }) => `${reason} ${column}`);

/** The message about a list that is refused. */
export async function advice(list: string): Promise<string> {
  const { issues, items } = await read(list);
  try {
    refuseIssues('list.csv', issues, Object.keys(NEW_TICKET_COLUMNS), { valid: items.length });
  } catch (error) {
    return (error as Error).message;
  }
  return '';
}
