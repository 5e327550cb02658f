import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { createKeyring, readKeyring } from '../../src/config/keyring-file.ts';
import { UNUSED } from '../../src/core/ticket.ts';
import { newTicket } from '../../src/core/ticket-changes.ts';
import type { Keyring } from '../../src/core/ticket-code.ts';
import { makeTicketCode } from '../../src/core/ticket-code.ts';
import { Administration } from '../../src/features/administration.ts';
import { openStore } from '../../src/stores/open-store.ts';
import type { Store } from '../../src/stores/store.ts';
import { storeImported } from '../../src/tickets/making/import-tickets.ts';
import { AN_AUDIT_ENTRY } from '../../test/support/an-audit-entry.ts';

const UNLIMITED = { ratePerSecond: 1e9, burst: 1e9, quotaPerMonth: 1e12, keysMax: 3 };

/** Rows of one list: an import has all of them in memory. */
const LIST = 1_000_000;

export interface Running {
  readonly url: string;
  readonly process: ChildProcess;
  stop(): Promise<void>;
}

const children = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

/** Ends the process when this one ends, also when a measurement fails in the middle. */
function endsWithUs(child: ChildProcess): void {
  children.add(child);
  child.once('exit', () => children.delete(child));
}

/** Starts a server that prints `{"url":…}` as its first line. */
export async function startServer(args: readonly string[]): Promise<Running> {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  endsWithUs(child);
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  const { url } = JSON.parse(line) as { url: string };
  return {
    url,
    process: child,
    stop: async () => {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/** @param store in the folder by default; the signing keys are there in any case @param more options of `serve` */
export function startTicketscan(
  folder: string,
  store = sqliteIn(folder),
  more: readonly string[] = ['--port', '0'],
): Promise<Running> {
  return startServer(['bin/ticketscan.js', 'serve', ...placeIn(folder, store), '--json', ...more]);
}

/** Runs a command on the store of a folder. @returns what it printed with `--json` */
export async function ticketscanIn(folder: string, ...args: readonly string[]): Promise<unknown> {
  const command = ['bin/ticketscan.js', ...args, ...placeIn(folder, sqliteIn(folder)), '--json'];
  const { stdout } = await promisify(execFile)(process.execPath, command);
  return JSON.parse(stdout);
}

function placeIn(folder: string, store: string): string[] {
  return ['--store', store, '--keyring', keyringIn(folder)];
}

function sqliteIn(folder: string): string {
  return `sqlite:${join(folder, 'ticketscan.db')}`;
}

function keyringIn(folder: string): string {
  return join(folder, 'ticketscan.keyring.json');
}

export interface Loaded {
  readonly key: string;
  /** The event of the tickets. */
  readonly event: string;
  /** Codes of some of the tickets, spread over all of them. */
  readonly codes: readonly string[];
  /** What `tickets import` takes for them once its lists are read. */
  readonly loadSeconds: number;
}

/** @returns the file, as `load` takes it */
export function writeCodes(folder: string, codes: readonly string[]): string {
  const file = join(folder, 'codes.txt');
  writeFileSync(file, `${codes.join('\n')}\n`);
  return file;
}

/** Fills a store with permanent cards. @param codesWanted how many codes to return @param storeUrl as for `startTicketscan` */
export async function loadTickets(
  folder: string,
  tickets: number,
  codesWanted: number,
  storeUrl = sqliteIn(folder),
): Promise<Loaded> {
  const keyringPath = keyringIn(folder);
  createKeyring(keyringPath);
  const keyring = readKeyring(keyringPath);
  const store = await openStore(storeUrl);
  const clock = { now: () => Date.now(), monotonicMs: () => performance.now() };
  const administration = new Administration(store, clock, randomBytes);
  await administration.organisations.create('Bench', UNLIMITED);
  const event = await administration.events.create('Bench');
  const { value } = await administration.keys.create({ name: 'bench', type: 'api', events: 'all' });
  const loaded = await insert(store, keyring, event.id, tickets, codesWanted);
  await store.close();
  return { key: value, event: event.id, ...loaded };
}

/** Adds an event with permanent cards to what `loadTickets` made. */
export async function loadFurtherEvent(
  folder: string,
  tickets: number,
): Promise<Pick<Loaded, 'event' | 'codes'>> {
  const store = await openStore(sqliteIn(folder));
  const clock = { now: () => Date.now(), monotonicMs: () => performance.now() };
  const { id } = await new Administration(store, clock, randomBytes).events.create('Large');
  const { codes } = await insert(store, readKeyring(keyringIn(folder)), id, tickets, 1);
  await store.close();
  return { event: id, codes };
}

async function insert(
  store: Store,
  keyring: Keyring,
  event: string,
  tickets: number,
  codesWanted: number,
): Promise<Pick<Loaded, 'codes' | 'loadSeconds'>> {
  const every = Math.max(1, Math.floor(tickets / codesWanted));
  const codes: string[] = [];
  let loadSeconds = 0;
  for (let from = 0; from < tickets; from += LIST) {
    const list = listOf(Math.min(LIST, tickets - from), event);
    const startedAt = performance.now();
    await storeImported(list, 'bat_0123456789', (some) =>
      store.insertTickets(some, AN_AUDIT_ENTRY),
    );
    loadSeconds += (performance.now() - startedAt) / 1000;
    const chosen = list.filter((_, index) => index % every === 0);
    codes.push(...chosen.map(({ ticket }) => makeTicketCode(ticket.id, keyring, 'TS1')));
  }
  return { codes, loadSeconds };
}

function listOf(length: number, eventId: string) {
  const options = { eventId, kind: 'permanent' } as const;
  return Array.from({ length }, (_, line) => {
    const ticket = { ...newTicket(options, Date.now(), randomBytes), ...UNUSED };
    return { line, ticket, eventName: '' };
  });
}
