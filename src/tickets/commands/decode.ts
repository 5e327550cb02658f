import { Command } from 'commander';
import { readKeyring } from '../../config/keyring-file.ts';
import { readPublicKeys } from '../../config/public-keys.ts';
import { systemClock } from '../../config/system-clock.ts';
import { TicketscanError } from '../../core/errors.ts';
import type { Keyring } from '../../core/keyring.ts';
import { readBoundedText } from '../../kit/bounded-file.ts';
import { fileFailure } from '../../kit/failures.ts';
import { storeExists } from '../../service/commands/access/existing-store.ts';
import { keyringPath, STORE_SETTINGS } from '../../service/commands/access/store-access.ts';
import { openStore } from '../../service/stores/open-store.ts';
import type { CliIo } from '../../terminal/io.ts';
import { showResult } from '../../terminal/results.ts';
import { addSettings, readSettings } from '../../terminal/setting-options.ts';
import { readRevokeList } from '../lists/revoke-list.ts';
import { imagePaths } from '../reading/image-paths.ts';
import { ReadingThread } from '../reading/reading-thread.ts';
import {
  type Decoded,
  describe,
  type Evidence,
  isGood,
  judgeCode,
  nothingIn,
} from './decode/judge-code.ts';

const EXAMPLES = `
Examples:
  ticketscan decode tickets/*.png
  ticketscan decode tickets sheet.pdf photo.jpg --json
  ticketscan decode card.png --keyring /etc/ticketscan/keyring.json
  ticketscan decode card.png --public-key public-keys.json --revoke-list revoked.txt

Exit code 0 when every code is genuine and not revoked, 1 when one is not, or when a picture has no code.
Nothing is consumed. With --public-key neither store nor keyring is used.`;

interface DecodeOptions {
  readonly json?: boolean;
  readonly publicKey?: string;
  readonly revokeList?: string;
}

/** `ticketscan decode`: reads QR codes from images and tells whether they are genuine. */
export function command(io: CliIo): Command {
  const decode = new Command('decode')
    .description('Read QR codes from image files and verify them; nothing is consumed.')
    .argument('<path...>', 'PNG, JPEG, SVG or PDF files, or folders of them')
    .option('--public-key <file>', 'verify TS2 codes offline with public keys (JSON or PEM)')
    .option('--revoke-list <file>', 'report tickets that are on a signed list of cancelled tickets')
    .option('--json', 'a JSON array')
    .addHelpText('after', EXAMPLES)
    .action(async (paths: string[], options: DecodeOptions) => {
      const files = await imagePaths(paths);
      const decoded = await withEvidence(io, options, (evidence) => decodeAll(files, evidence));
      showResult(io, options, decoded, decoded.map(describe));
      io.exit(decoded.every(isGood) ? 0 : 1);
    });
  return addSettings(decode, STORE_SETTINGS);
}

/** Public keys or a keyring alone are enough to verify: a missing store is not created. */
async function withEvidence<Result>(
  io: CliIo,
  options: DecodeOptions,
  work: (evidence: Evidence) => Promise<Result>,
): Promise<Result> {
  const { publicKey, revokeList } = options;
  const now = systemClock.now();
  if (publicKey !== undefined) {
    const keyring = readPublicKeys(publicKey);
    const revoked = revokedIn(revokeList, keyring);
    return work({ keyring, isPublicOnly: true, revoked, findTicket: undefined, now });
  }
  const settings = readSettings(STORE_SETTINGS, { ...options }, io);
  const keyring = readKeyring(keyringPath(settings.store, settings.keyring) ?? '');
  const evidence = { keyring, isPublicOnly: false, revoked: revokedIn(revokeList, keyring), now };
  if (!storeExists(settings.store)) {
    return work({ ...evidence, findTicket: undefined });
  }
  const store = await openStore(settings.store);
  try {
    return await work({ ...evidence, findTicket: (id) => store.findTicket(id) });
  } finally {
    await store.close();
  }
}

function revokedIn(file: string | undefined, keyring: Keyring): ReadonlySet<string> | undefined {
  if (file === undefined) return undefined;
  try {
    return readRevokeList(readBoundedText(file), keyring).ticketIds;
  } catch (error) {
    if (error instanceof TicketscanError) throw error;
    throw new TicketscanError('usage', `${file} cannot be read: ${fileFailure(error)}.`, {
      cause: error,
    });
  }
}

async function decodeAll(files: readonly string[], evidence: Evidence): Promise<Decoded[]> {
  const decoded: Decoded[] = [];
  const thread = new ReadingThread();
  try {
    for (const file of files) decoded.push(...(await decodeFile(file, thread, evidence)));
  } finally {
    await thread.close();
  }
  return decoded;
}

/** One damaged file among many must not keep the others from being read. */
async function decodeFile(
  file: string,
  thread: ReadingThread,
  evidence: Evidence,
): Promise<Decoded[]> {
  const decoded: Decoded[] = [];
  try {
    for await (const { page, codes } of thread.read(file)) {
      for (const { text: code, decoders } of codes) {
        decoded.push(await judgeCode({ file, page, code, decoders }, evidence));
      }
    }
  } catch (error) {
    if (!(error instanceof TicketscanError)) throw error;
    // The line begins with the name of the file already.
    const problem = error.message.replace(file, '').trim();
    return [...decoded, nothingIn(file, problem)];
  }
  return decoded.length === 0 ? [nothingIn(file)] : decoded;
}
