import { randomBytes } from 'node:crypto';
import { DOCUMENT_FORMAT } from './document.ts';
import { replaceFile } from './document-file.ts';
import type { LineBody } from './line-body.ts';
import { LOG_START, type LogLine, type LogPlace, nextLine } from './log-lines.ts';
import type { RecordedState } from './recorded-state.ts';

/** So that no line is larger than what reads well. */
const CHANGES_PER_LINE = 1000;

/** Writes the log of a new store: one line, with which no other log begins. Returns its place. */
export async function writeNewLog(path: string): Promise<LogPlace> {
  const line = firstLine();
  await replaceFile(path, line.text);
  return { line: line.number, check: line.check };
}

/**
 * Writes the log anew without the scans that are no longer kept. It continues from the same place as before, so that the
 * document fits the old and the new one, and a crash between them does no harm.
 */
export async function writeShortenedLog(
  path: string,
  last: LogPlace,
  state: RecordedState,
): Promise<void> {
  const lines = [firstLine()];
  const add = (body: LineBody) => {
    const { number, check } = lines.at(-1) as LogLine;
    lines.push(nextLine({ line: number, check }, { ...body }));
  };
  const changes = state.changesOfTheLog();
  for (let from = 0; from < changes.length; from += CHANGES_PER_LINE) {
    add({ changes: changes.slice(from, from + CHANGES_PER_LINE) });
  }
  add({ continues: { line: last.line, check: last.check } });
  await replaceFile(path, lines.map(({ text }) => text).join(''));
}

function firstLine(): LogLine {
  const id = randomBytes(8).toString('hex');
  return nextLine(LOG_START, { log: 'ticketscan', format: DOCUMENT_FORMAT, id });
}
