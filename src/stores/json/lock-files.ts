import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import type { LogEntry } from '../../core/records.ts';
import { linkTarget } from '../file-guards.ts';
import { takeWriterLock } from '../file-lock.ts';
import {
  keepAs,
  type LockedStore,
  syncNamesBeside,
  syncReplaced,
  uncertain,
} from '../replaced-files.ts';
import { loadStore } from './recorded-state.ts';

/**
 * Locks the address of a document and its log for this program.
 * @throws TicketscanError `store_busy` while another program has the store
 */
export function lockFiles(named: string): LockedStore {
  const path = linkTarget(named);
  const lock = takeWriterLock(path);
  return {
    path,
    isEmpty: !existsSync(path),
    usesAfter: (entry) => usesAfter(path, entry),
    replaceBy: (staged, keptAs) => replaceFiles(path, staged, keptAs),
    release: () => lock.release(),
  };
}

/**
 * Two files cannot be replaced at once, and a new one is refused beside an old one. So both first get these names. The
 * document gets its name last: then the new store is complete, and the next program that opens it finishes the restore.
 */
function readyName(path: string): string {
  return `${path}.restored`;
}

/** Finishes a restore that was interrupted, or removes what it left; the caller has the lock. */
export function completeRestore(path: string): void {
  if (!existsSync(readyName(path))) {
    // Killed before the document was ready: the old store stays, and this log belongs to nothing.
    rmSync(`${readyName(path)}.log`, { force: true });
    return;
  }
  nameReady(path);
  syncNamesBeside(path);
}

function nameReady(path: string): void {
  const ready = readyName(path);
  if (existsSync(`${ready}.log`)) renameSync(`${ready}.log`, `${path}.log`);
  renameSync(ready, path);
}

function replaceFiles(path: string, staged: string, keptAs: string): void {
  for (const end of ['.log', '']) {
    if (existsSync(`${path}${end}`)) keepAs(`${path}${end}`, `${keptAs}${end}`);
  }
  try {
    renameSync(`${staged}.log`, `${readyName(path)}.log`);
    syncNamesBeside(path);
    renameSync(staged, readyName(path));
    syncNamesBeside(path);
    nameReady(path);
  } catch (error) {
    undoReplace(path, keptAs, error);
    throw error;
  }
  syncReplaced(path);
}

/**
 * Takes back a restore that failed. At each moment of it the next program either finishes the restore or finds the old store.
 * @throws TicketscanError `store_damaged` where that fails too
 */
function undoReplace(path: string, keptAs: string, cause: unknown): void {
  const ready = readyName(path);
  try {
    if (existsSync(ready) && !existsSync(`${ready}.log`)) renameSync(`${path}.log`, `${ready}.log`);
    if (existsSync(`${keptAs}.log`)) renameSync(`${keptAs}.log`, `${path}.log`);
    syncNamesBeside(path);
    for (const name of [ready, `${ready}.log`, keptAs, `${keptAs}.log`])
      rmSync(name, { force: true });
    syncNamesBeside(path);
  } catch {
    throw uncertain(path, cause);
  }
}

function usesAfter(path: string, entry: LogEntry | undefined): number | undefined {
  if (!existsSync(path)) return 0;
  try {
    const logPath = `${path}.log`;
    const texts = {
      path,
      logPath,
      document: readFileSync(path, 'utf8'),
      log: readFileSync(logPath),
    };
    const { log } = loadStore(texts).state;
    if (entry && !log.some(({ sequence, at }) => sequence === entry.sequence && at === entry.at))
      return undefined;
    const isLater = ({ sequence }: LogEntry) => sequence > (entry?.sequence ?? 0);
    return log.filter((one) => isLater(one) && one.status === 'consumed' && !one.replayed).length;
  } catch {
    // It is damaged, which may be why it is replaced.
    return undefined;
  }
}
