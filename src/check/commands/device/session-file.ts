import { renameSync } from 'node:fs';
import { TicketscanError } from '../../../core/errors.ts';
import type { SessionRecord } from '../../index.ts';
import { readJsonFile, writeReportFile } from '../files.ts';

/** Where an attended session is kept when no file is named. */
export const SESSION_FILE = 'ticketscan-device-session.json';

/** @throws TicketscanError `usage` for a file that is no session of this version */
export function readSession(path: string): SessionRecord {
  const value = readJsonFile(path);
  if (typeof value === 'object' && value !== null) {
    const { version, kind, requests, observations } = value as Partial<SessionRecord>;
    const isSession = Array.isArray(requests) && typeof observations === 'object';
    if (version === 1 && isSession && (kind === 'device' || kind === 'client'))
      return value as SessionRecord;
  }
  throw new TicketscanError(
    'usage',
    `${path} is not a session of check device. An interrupted session says which file it wrote.`,
  );
}

/**
 * For its owner: it has the key and the codes of the session. A session that is cut off in the middle leaves the file as it was.
 * @throws TicketscanError `usage`
 */
export function writeSession(path: string, record: SessionRecord): void {
  const growing = `${path}.part`;
  writeReportFile(growing, `${JSON.stringify(record)}\n`);
  renameSync(growing, path);
}
