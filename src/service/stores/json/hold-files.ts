import { existsSync, readFileSync, realpathSync, renameSync } from 'node:fs';
import type { LogEntry } from '../../../core/records.ts';
import { type HeldPlace, keepAs, syncNamesBeside } from '../restore/held-place.ts';
import { loadStore } from './load-store.ts';
import { takeWriterLock } from './writer-lock.ts';

/**
 * Takes the place of a document and its log for itself.
 * @throws TicketscanError `store_busy` while another program has the store
 */
export function holdFiles(named: string): HeldPlace {
  const path = existsSync(named) ? realpathSync(named) : named;
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

/** Finishes a restore that was interrupted; the caller has the lock. */
export function completeRestore(path: string): void {
  const ready = readyName(path);
  if (!existsSync(ready)) return;
  if (existsSync(`${ready}.log`)) renameSync(`${ready}.log`, `${path}.log`);
  renameSync(ready, path);
  syncNamesBeside(path);
}

function replaceFiles(path: string, staged: string, keptAs: string): void {
  for (const end of ['.log', '']) {
    if (existsSync(`${path}${end}`)) keepAs(`${path}${end}`, `${keptAs}${end}`);
  }
  renameSync(`${staged}.log`, `${readyName(path)}.log`);
  syncNamesBeside(path);
  renameSync(staged, readyName(path));
  syncNamesBeside(path);
  completeRestore(path);
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
