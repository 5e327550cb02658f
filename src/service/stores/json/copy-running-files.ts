import { copyFile, rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { TicketscanError } from '../../../core/errors.ts';
import { createForOwner } from '../owner-only.ts';
import type { VerifyReport } from '../store-upkeep.ts';
import { openJsonStore } from './json-store.ts';

const ATTEMPTS = 5;
const PAUSE_MS = 200;

/**
 * Copies a document and its log, also while a program writes them, and audits the copy. The document first: the log holds everything
 * that came after it. Only while a program starts or stops can the two not belong together; then it copies them again.
 * @param staged the new document; its log gets the same name with `.log`
 * @throws TicketscanError `store_damaged` when the copy is not sound; errors of the system
 */
export async function copyRunningFiles(path: string, staged: string): Promise<VerifyReport> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      for (const end of ['', '.log']) {
        await rm(`${staged}${end}`, { force: true });
        createForOwner(`${staged}${end}`);
        await copyFile(`${path}${end}`, `${staged}${end}`);
      }
      return await audit(staged);
    } catch (error) {
      const isDamage = error instanceof TicketscanError && error.code === 'store_damaged';
      if (!isDamage) throw error;
      if (attempt === ATTEMPTS) throw notMade(error.message.replaceAll(staged, path), error);
      await sleep(PAUSE_MS);
    }
  }
}

async function audit(staged: string): Promise<VerifyReport> {
  const store = await openJsonStore(staged);
  try {
    const report = await store.verify();
    const [problem] = report.problems;
    if (problem !== undefined) throw new TicketscanError('store_damaged', problem);
    return report;
  } finally {
    await store.close();
  }
}

function notMade(why: string, cause: unknown): TicketscanError {
  return new TicketscanError(
    'store_damaged',
    `The backup was NOT made, because the store is not sound: ${why}`,
    { cause },
  );
}
