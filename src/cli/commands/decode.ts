import { existsSync } from 'node:fs';
import { Command } from 'commander';
import { readKeyring } from '../../config/keyring-file.ts';
import type { Keyring } from '../../core/keyring.ts';
import type { Ticket } from '../../core/ticket.ts';
import { splitTicketCode, verifyTicketCode } from '../../core/ticket-code.ts';
import { findCodes } from '../../mint/read/find-codes.ts';
import { loadPictures } from '../../mint/read/load-pictures.ts';
import { openStore, parseStoreUrl } from '../../stores/open-store.ts';
import type { CliIo } from '../io.ts';
import { addSettings, readSettings } from '../setting-options.ts';
import { keyringPath, STORE_SETTINGS } from '../store-access.ts';
import { harmless } from '../table.ts';
import { ticketJson } from '../ticket-view.ts';

const EXAMPLES = `
Examples:
  ticketscan decode tickets/*.png
  ticketscan decode photo.jpg --json
  ticketscan decode card.png --keyring /etc/ticketscan/keyring.json

Exit code 0 when every code is genuine, 1 when one is not or a picture holds none. Nothing is consumed.`;

interface Decoded {
  readonly file: string;
  readonly code: string | null;
  readonly ticketId: string | null;
  readonly verified: boolean;
  readonly format: string | null;
  readonly signingKey: string | null;
  readonly ticket: Record<string, unknown> | null;
}

/** `ticketscan decode`: reads QR codes from images and tells whether they are genuine. */
export function command(io: CliIo): Command {
  const decode = new Command('decode')
    .description('Read QR codes from image files and verify them; nothing is consumed.')
    .argument('<file...>', 'PNG, JPEG, SVG or PDF files')
    .option('--json', 'a JSON array')
    .addHelpText('after', EXAMPLES)
    .action(async (files: string[], options: { json?: boolean }) => {
      const settings = readSettings(STORE_SETTINGS, options, io);
      const keyring = readKeyring(keyringPath(settings.store, settings.keyring) ?? '');
      const decoded = await withTickets(settings.store, (find) => decodeAll(files, keyring, find));
      if (options.json) io.out(JSON.stringify(decoded, null, 2));
      else for (const one of decoded) io.out(describe(one));
      io.exit(decoded.every(({ verified }) => verified) ? 0 : 1);
    });
  return addSettings(decode, STORE_SETTINGS);
}

type FindTicket = (ticketId: string) => Promise<Ticket | undefined>;

/** A keyring alone is enough to verify: a store that is not there is not made for it. */
async function withTickets<Result>(
  url: string,
  work: (find: FindTicket) => Promise<Result>,
): Promise<Result> {
  const address = parseStoreUrl(url);
  if (address.engine !== 'sqlite' || !existsSync(address.path)) return work(async () => undefined);
  const store = await openStore(url);
  try {
    return await work((id) => store.findTicket(id));
  } finally {
    await store.close();
  }
}

async function decodeAll(
  files: readonly string[],
  keyring: Keyring,
  find: FindTicket,
): Promise<Decoded[]> {
  const decoded: Decoded[] = [];
  for (const file of files) {
    const before = decoded.length;
    for await (const { picture } of loadPictures(file)) {
      for (const { text } of await findCodes(picture))
        decoded.push(await judge(file, text, keyring, find));
    }
    if (decoded.length === before) decoded.push(nothingIn(file));
  }
  return decoded;
}

async function judge(
  file: string,
  code: string,
  keyring: Keyring,
  find: FindTicket,
): Promise<Decoded> {
  const verified = verifyTicketCode(code, keyring);
  const parts = splitTicketCode(code);
  const ticket = verified && (await find(verified.ticketId));
  return {
    file,
    code,
    ticketId: parts?.ticketId ?? null,
    verified: verified !== undefined,
    format: parts?.format ?? null,
    signingKey: verified?.signingKeyId ?? null,
    ticket: ticket ? ticketJson(ticket) : null,
  };
}

function nothingIn(file: string): Decoded {
  return {
    file,
    code: null,
    ticketId: null,
    verified: false,
    format: null,
    signingKey: null,
    ticket: null,
  };
}

function describe({ file, code, ticketId, verified, ticket }: Decoded): string {
  if (code === null) return `${file}: no QR code found`;
  if (!verified) return `${file}: NOT GENUINE  ${harmless(code)}`;
  const state = ticket
    ? `${ticket['state']}, ${ticket['usesConsumed']}/${ticket['usesAllowed']} uses`
    : 'not in the store';
  return `${file}: genuine  ${ticketId}  ${state}`;
}
