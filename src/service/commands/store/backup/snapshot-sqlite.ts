import type { Progress } from '../../../../terminal/progress.ts';
import { fileError, temporaryName } from '../../../../tickets/files.ts';
import { backupDatabase } from '../../../stores/sqlite/backup.ts';
import type { VerifyReport } from '../../../stores/store.ts';

/** Copies a database that is in use into a new file and audits it. @throws TicketscanError as `backupDatabase` does, and `usage` for the file */
export async function backupWithProgress(
  progress: Progress,
  path: string,
  target: string,
): Promise<VerifyReport> {
  let total = 0;
  try {
    return await backupDatabase(path, target, temporaryName(target), (pages, pagesInAll) => {
      if (total !== pagesInAll) progress.begin('pages', pagesInAll);
      total = pagesInAll;
      progress.update(pages);
    });
  } catch (error) {
    throw fileError(target, error);
  } finally {
    progress.clear();
  }
}
