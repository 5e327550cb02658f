import { existsSync, realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import * as z from 'zod';
import { TicketscanError } from '../../../../core/errors.ts';
import type { FileEngine } from '../../../stores/restore/stage-backup.ts';
import { selfSignedPaths } from '../../serve/certificate.ts';
import { foreignArchive } from './sealed-archive.ts';

/** The names in an encrypted backup are those that a server looks for in its folder: unpacked by hand, it runs. */
export const STORE_NAMES: Readonly<Record<FileEngine, readonly string[]>> = {
  sqlite: ['ticketscan.db'],
  json: ['ticketscan.json', 'ticketscan.json.log'],
};
export const KEYRING_NAME = 'ticketscan.keyring.json';
export const CERTIFICATE_NAMES = {
  key: 'ticketscan.self-signed.key.pem',
  cert: 'ticketscan.self-signed.cert.pem',
} as const;
/** Always the first file. */
export const CONTENTS_NAME = 'backup.json';
const CONTENTS_VERSION = 1;

const Contents = z.object({
  format: z.literal('ticketscan backup'),
  version: z.literal(CONTENTS_VERSION),
  engine: z.enum(['sqlite', 'json']),
  program: z.string(),
  createdAt: z.iso.datetime(),
  files: z.array(z.string()),
});

/** What an encrypted backup says of itself. */
export type BackupContents = z.infer<typeof Contents>;

export function contentsText(contents: Omit<BackupContents, 'format' | 'version'>): string {
  const all = { format: 'ticketscan backup', version: CONTENTS_VERSION, ...contents };
  return `${JSON.stringify(all, null, 2)}\n`;
}

/** @param file for messages @throws TicketscanError `usage`, `store_newer` */
export function readContents(text: string, file: string): BackupContents {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw foreignArchive(file);
  }
  const parsed = Contents.safeParse(value);
  if (parsed.success) return parsed.data;
  const { format, version } = (value ?? {}) as { format?: unknown; version?: unknown };
  if (format === 'ticketscan backup' && typeof version === 'number' && version > CONTENTS_VERSION) {
    throw new TicketscanError(
      'store_newer',
      `${file} was made by a newer version of ticketscan. Restore it with that version. Nothing was changed.`,
    );
  }
  throw foreignArchive(file);
}

/** Where the other files of a site are. */
export interface SitePaths {
  readonly keyring: string;
  readonly cert: string;
  readonly key: string;
}

/** @param keyring its path, or that of a link to it: a self-signed certificate is beside the name that a server is given */
export function sitePaths(keyring: string): SitePaths {
  const file = existsSync(keyring) ? realpathSync(keyring) : keyring;
  return { keyring: file, ...selfSignedPaths(dirname(keyring)) };
}
