import { statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from '@commander-js/extra-typings';
import { readKeyring, readPublicKeys } from '../../../config/keyring-file.ts';
import { systemClock } from '../../../config/system-clock.ts';
import { TicketscanError } from '../../../core/errors.ts';
import { ticketToJson } from '../../../core/records.ts';
import type { Ticket } from '../../../core/ticket.ts';
import { type Keyring, splitTicketCode, verifyTicketCode } from '../../../core/ticket-code.ts';
import { fileFailure } from '../../../kit/failures.ts';
import { readBoundedText } from '../../../kit/files.ts';
import { sanitizeForTerminal } from '../../../kit/text.ts';
import { openStore } from '../../../stores/open-store.ts';
import { type OptionsOf, plainCommand } from '../../../terminal/command.ts';
import type { CliIo } from '../../../terminal/io.ts';
import { readSettings } from '../../../terminal/options.ts';
import { showResult } from '../../../terminal/results.ts';
import { forFile } from '../../../tickets/files.ts';
import { JobThread } from '../../../tickets/job-thread.ts';
import { readRevokeList } from '../../../tickets/lists/revoke-list.ts';
import type { Decoder, PageCodes } from '../../../tickets/reading/find-codes.ts';
import { keyringPath, STORE_SETTINGS, storeExists, tellNotice } from '../../store/opening.ts';

const EXAMPLES = `
Examples:
  ticketscan decode tickets/*.png
  ticketscan decode tickets sheet.pdf photo.jpg --json
  ticketscan decode card.png --keyring /etc/ticketscan/keyring.json
  ticketscan decode card.png --public-key public-keys.json --revoke-list revoked.txt

Exit code 0 when every code is genuine and not revoked, 1 when one is not, or when a picture has no code.
Nothing is consumed. With --public-key neither store nor keyring is used.`;

function decodeOptions(command: Command) {
  return command
    .option('--public-key <file>', 'verify TS2 codes offline with public keys (JSON or PEM)')
    .option(
      '--revoke-list <file>',
      'report tickets that are on a signed list of cancelled tickets',
    );
}

/** `ticketscan decode`: reads QR codes from images and tells whether they are genuine. */
export const command = plainCommand({
  name: 'decode',
  summary: 'Read QR codes from image files and verify them; nothing is consumed.',
  argument: [
    '<path...>',
    'PNG, JPEG, WebP, SVG or PDF files, or folders of them; also .txt of mint',
  ],
  options: decodeOptions,
  json: 'a JSON array',
  help: EXAMPLES,
  settings: STORE_SETTINGS,
  run: async (io, options, paths) => {
    const files = await imagePaths(paths);
    const decoded = await withEvidence(io, options, (evidence) => decodeAll(files, evidence));
    showResult(io, options, decoded, decoded.map(describe));
    io.exit(decoded.every(isGood) ? 0 : 1);
  },
});

/** Public keys or a keyring alone are enough to verify: a missing store is not created. */
async function withEvidence<Result>(
  io: CliIo,
  options: OptionsOf<typeof decodeOptions>,
  work: (evidence: Evidence) => Promise<Result>,
): Promise<Result> {
  const { publicKey, revokeList } = options;
  const now = systemClock.now();
  if (publicKey !== undefined) {
    const keyring = readPublicKeys(publicKey);
    const revoked = revokedIn(revokeList, keyring);
    return work({ keyring, isPublicOnly: true, revoked, findTicket: undefined, now });
  }
  const settings = readSettings(STORE_SETTINGS, options, io);
  const keyring = readKeyring(keyringPath(settings.store, settings.keyring) ?? '');
  const evidence = { keyring, isPublicOnly: false, revoked: revokedIn(revokeList, keyring), now };
  if (!storeExists(settings.store)) {
    return work({ ...evidence, findTicket: undefined });
  }
  const store = await openStore(settings.store);
  tellNotice(io, store);
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
    if (error instanceof TicketscanError)
      throw new TicketscanError(error.code, `--revoke-list ${file}: ${error.message}`);
    throw new TicketscanError(
      'usage',
      `--revoke-list ${file} cannot be read: ${fileFailure(error)}.`,
      {
        cause: error,
      },
    );
  }
}

async function decodeAll(files: readonly string[], evidence: Evidence): Promise<Decoded[]> {
  const decoded: Decoded[] = [];
  const thread = new JobThread('pictures');
  try {
    for (const file of files) decoded.push(...(await decodeFile(file, thread, evidence)));
  } finally {
    await thread.close();
  }
  return decoded;
}

/** Decodes a file. A damaged file must not keep others from being read. */
async function decodeFile(
  file: string,
  thread: JobThread<'pictures'>,
  evidence: Evidence,
): Promise<Decoded[]> {
  const decoded: Decoded[] = [];
  try {
    for await (const { page, codes } of readInTime(file, thread)) {
      for (const { text: code, decoders } of codes) {
        decoded.push(await judgeCode({ file, page, code, decoders }, evidence));
      }
    }
  } catch (error) {
    if (!(error instanceof TicketscanError)) throw error;
    // The line begins with the name of the file already.
    const problem = error.message.replace(file, '').replace(/^[: ]+/, '');
    return [...decoded, nothingIn(file, problem)];
  }
  return decoded.length === 0 ? [nothingIn(file)] : decoded;
}

/** The processor time for one file: a small file can be made so that it takes minutes to draw or search. */
const PROCESSOR_S_MAX = 10;
const LOOK_MS = 200;

/** Resolves when this program has worked for so long from now on; other programs on the machine do not count. */
async function processorTimeUsedUp(signal: AbortSignal): Promise<void> {
  const before = process.cpuUsage();
  for (;;) {
    await sleep(LOOK_MS, undefined, { signal });
    const { user, system } = process.cpuUsage(before);
    if (user + system > PROCESSOR_S_MAX * 1e6) return;
  }
}

/** Reads in a thread, because nothing else can end a picture that takes too long. @throws TicketscanError `usage` as `loadPictures` */
async function* readInTime(file: string, thread: JobThread<'pictures'>): AsyncGenerator<PageCodes> {
  for (let given: string | undefined = file; ; given = undefined) {
    const timer = new AbortController();
    const late = processorTimeUsedUp(timer.signal).then(async () => {
      // The next file gets a new thread.
      await thread.close();
      const message = `${file} takes more than ${PROCESSOR_S_MAX} seconds of processor time to read, which is the limit. Make it smaller, or cut it.`;
      throw new TicketscanError('usage', message);
    });
    const read = thread.run(given);
    const found = await Promise.race([read, late]).finally(() => timer.abort());
    if (!found) return;
    yield found;
  }
}

/** The result for one code in a picture, or for a picture without one. */
export interface Decoded {
  readonly file: string;
  /** The page, counted from 1; null in a file without pages. */
  readonly page: number | null;
  readonly code: string | null;
  readonly ticketId: string | null;
  readonly verified: boolean;
  /** `TS1` or `TS2`; null when the text is no ticket code. */
  readonly format: string | null;
  readonly signingKey: string | null;
  /** The decoders that read it: a code that only one of the two reads fails on some phones and gates. */
  readonly decoders: readonly Decoder[];
  /** Whether the ticket is on the revoke list; null when none was given. */
  readonly revoked: boolean | null;
  /** Its state; null when it is not in the store, or there is none to look in. */
  readonly ticket: Record<string, unknown> | null;
  readonly storeAsked: boolean;
  /** Why there is no result; null otherwise. */
  readonly problem: string | null;
}

export interface Evidence {
  readonly keyring: Keyring;
  /** Whether the keyring has public keys alone, which cannot verify TS1 codes. */
  readonly isPublicOnly: boolean;
  readonly revoked: ReadonlySet<string> | undefined;
  /** Absent where there is no store to look in. */
  readonly findTicket: ((ticketId: string) => Promise<Ticket | undefined>) | undefined;
  /** The time for which the states of tickets are told: milliseconds since 1970 UTC. */
  readonly now: number;
}

const NOTHING: Decoded = {
  file: '',
  page: null,
  code: null,
  ticketId: null,
  verified: false,
  format: null,
  signingKey: null,
  decoders: [],
  revoked: null,
  ticket: null,
  storeAsked: false,
  problem: null,
};

export function nothingIn(file: string, problem = 'no QR code found'): Decoded {
  return { ...NOTHING, file, problem };
}

/** Judges a code that was read. */
export async function judgeCode(
  found: { file: string; page: number | null; code: string; decoders: readonly Decoder[] },
  { keyring, isPublicOnly, revoked, findTicket, now }: Evidence,
): Promise<Decoded> {
  const verified = verifyTicketCode(found.code, keyring);
  const parts = splitTicketCode(found.code);
  const ticket = verified && (await findTicket?.(verified.ticketId));
  const cannotTell = isPublicOnly && parts?.format === 'TS1';
  return {
    ...NOTHING,
    ...found,
    ticketId: parts?.ticketId ?? null,
    verified: verified !== undefined,
    format: parts?.format ?? null,
    signingKey: verified?.signingKeyId ?? null,
    revoked: verified && revoked ? revoked.has(verified.ticketId) : null,
    ticket: ticket ? ticketToJson(ticket, now) : null,
    storeAsked: verified !== undefined && findTicket !== undefined,
    problem: cannotTell ? 'a TS1 code is verified with the keyring, not with a public key' : null,
  };
}

/** True for a code that is genuine and not revoked. */
export function isGood({ verified, revoked }: Decoded): boolean {
  return verified && revoked !== true;
}

/** One line for people. */
export function describe(decoded: Decoded): string {
  const { file, page, code, verified, format, signingKey, decoders, problem } = decoded;
  const source = sanitizeForTerminal(page === null ? file : `${file} page ${page}`);
  if (code === null) return `${source}: ${problem}`;
  const readers =
    decoders.length > 1
      ? ''
      : '  (only one of two readers reads it: print it larger, or scan it sharper)';
  if (!verified)
    return `${source}: ${problem ?? 'NOT GENUINE'}  ${sanitizeForTerminal(code)}${readers}`;
  return `${source}: genuine ${format} by ${signingKey}${stateInWords(decoded)}  ${code}${readers}`;
}

function stateInWords({ ticket, revoked, storeAsked }: Decoded): string {
  const listed = revoked === null ? '' : revoked ? ', REVOKED' : ', not revoked';
  if (!ticket) return `${listed}${storeAsked ? ', NOT IN THE STORE' : ''}`;
  return `${listed}, ${ticket['state']}, ${ticket['usesConsumed']}/${ticket['usesAllowed']} uses`;
}

/** Pictures that are not read are named, too: a folder of photos must not look whole without them. */
const IMAGE_NAME = /\.(?:png|jpe?g|webp|svg|pdf|hei[cf]|avif|gif|bmp|tiff?)$/iu;

/**
 * The files themselves, and the images in the folders and below, each folder in the order of names.
 * @throws TicketscanError `usage` for a path that is not there and for a folder without images
 */
export async function imagePaths(paths: readonly string[]): Promise<string[]> {
  const files: string[] = [];
  for (const path of paths) {
    if (!forFile(path, () => statSync(path).isDirectory())) {
      files.push(path);
      continue;
    }
    const names = await readdir(path, { recursive: true });
    const images = names.filter((name) => IMAGE_NAME.test(name)).toSorted();
    if (images.length === 0) {
      throw new TicketscanError('usage', `${path} contains no PNG, JPEG, WebP, SVG or PDF.`);
    }
    for (const name of images) files.push(join(path, name));
  }
  return files;
}
