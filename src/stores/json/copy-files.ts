import { copyFileSync, existsSync } from 'node:fs';
import { TicketscanError } from '../../core/errors.ts';
import { createTemporary, linkTarget } from '../file-guards.ts';
import { backupDatabase } from '../sqlite/backup.ts';
import type { VerifyReport } from '../store.ts';
import { incompleteCopy } from '../store-errors.ts';
import { DocumentDatabase } from './document-database.ts';
import { databaseOf } from './document-file.ts';

/**
 * Copies a store while a program uses it, and audits the copy. The document of the copy is made from the database: an edit that no program
 * has taken over yet is not part of the store.
 * @param staged the new document; its database gets the same name with `.db`
 * @throws TicketscanError `store_damaged` when the copy is not sound; errors of the system
 */
export async function copyRunningFiles(
  named: string,
  staged: string,
  onProgress: (pages: number, pagesInAll: number) => void,
): Promise<VerifyReport> {
  const path = linkTarget(named);
  const database = databaseOf(staged);
  if (existsSync(databaseOf(path))) {
    await backupDatabase(databaseOf(path), database, `${database}.tmp`, onProgress);
  }
  const copy = new DocumentDatabase(staged);
  try {
    // A document that no program has opened is the whole store.
    if (!(await copy.knowsDocument()) && existsSync(path)) {
      createTemporary(staged);
      copyFileSync(path, staged);
    }
    await copy.takeOver();
    if ((await copy.writeDocument()) === 'unfinished copy') throw incompleteCopy();
    const report = await copy.verify();
    const [problem] = report.problems;
    if (problem === undefined) return report;
    throw new TicketscanError(
      'store_damaged',
      `The backup was NOT made, because the store is not sound: ${problem}`,
    );
  } finally {
    await copy.close();
  }
}
