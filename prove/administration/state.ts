import { existsSync, readdirSync } from 'node:fs';
import { checkKeyring } from '../../src/cli/doctor/machine-checks.ts';
import { checkStore } from '../../src/cli/doctor/store-checks.ts';
import { readKeyring, readStoredKeys } from '../../src/config/keyring-file.ts';
import { verifyTicketCode } from '../../src/core/ticket-code.ts';
import { openCopyTarget, parseStoreUrl } from '../../src/stores/open-store.ts';
import type { Store } from '../../src/stores/store.ts';
import { SECTIONS, type Section, type StoreRecords } from '../../src/stores/transfer/records.ts';
import { openSqliteStore } from '../../test/support/in-process-sqlite.ts';

/** What a store holds, as the next program that opens it finds it. */
export interface StoreState {
  /** `incomplete`: a copy that only the command that began it opens. */
  readonly is: 'absent' | 'incomplete' | 'whole';
  readonly records: { readonly [Name in Section]: readonly StoreRecords[Name][] };
  /** The problems that its audit finds. */
  readonly problems: readonly string[];
}

const PAGE_RECORDS = 5000;
const NONE = Object.fromEntries(
  SECTIONS.map((section) => [section, []]),
) as unknown as StoreState['records'];

/** Opens the store, which goes on with what was cut short, audits it and reads everything. */
export async function readState(url: string): Promise<StoreState> {
  const address = parseStoreUrl(url);
  if ('path' in address && !existsSync(address.path))
    return { is: 'absent', records: NONE, problems: [] };
  // Without the thread of its own, which takes longer to start than everything else here.
  const opened = address.engine === 'sqlite' ? openSqliteStore(address.path) : openCopyTarget(url);
  await using store = disposable(await opened);
  if (await store.unfinishedCopy()) return { is: 'incomplete', records: NONE, problems: [] };
  const { problems } = await store.verify();
  return { is: 'whole', records: await readAll(store), problems };
}

function disposable(store: Store): Store & AsyncDisposable {
  return Object.assign(store, { [Symbol.asyncDispose]: () => store.close() });
}

async function readAll(store: Store): Promise<StoreState['records']> {
  const records: Record<string, unknown[]> = {};
  await store.beginSnapshot();
  for (const section of SECTIONS) {
    const all: unknown[] = [];
    for (let after: string | null = null, more = true; more; more = after !== null) {
      const page = await store.readSnapshot(section, after, PAGE_RECORDS);
      all.push(...page.records);
      after = page.next;
    }
    records[section] = all;
  }
  await store.endSnapshot();
  return records as unknown as StoreState['records'];
}

/**
 * The same text for two states that differ only in when something was done, and in how many parts: an import that was continued
 * has other batches, and several audit entries with the same sum.
 */
export function textOf({ is, records }: StoreState): string {
  const { tickets, auditLog, ...others } = records;
  const sums = new Map<string, number>();
  for (const { act, subject, organisationId, details } of auditLog) {
    const { count = 1, ...more } = { ...details } as { count?: number };
    const name = JSON.stringify([act, subject, organisationId, more]);
    sums.set(name, (sums.get(name) ?? 0) + count);
  }
  const cards = tickets.map(({ batch: _, ...ticket }) => JSON.stringify(ticket, inOrder)).sort();
  return JSON.stringify([is, cards, [...sums], others], inOrder);
}

/** Members of an object in the order of their names: a store may read them in another order than it wrote them. */
function inOrder(_name: string, value: unknown): unknown {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** States of the keys, without what chance made of them. */
export function keyStates(path: string): string {
  return readStoredKeys(path)
    .map(({ format, state }) => `${format} ${state}`)
    .join();
}

/** Codes that the keyring refuses. */
export function refusedCodes(path: string, codes: readonly string[]): string[] {
  const keyring = readKeyring(path);
  return codes.filter((code) => verifyTicketCode(code, keyring) === undefined);
}

/** Files that are always made anew, and locks that stay by design. */
const BY_DESIGN = /(?:-wal|-shm|-journal|\.lock)$/;

/** Names in a folder, without times and chances in them. */
export function namesIn(folder: string): string[] {
  return readdirSync(folder).filter((name) => !BY_DESIGN.test(name));
}

export function plainName(name: string): string {
  return name
    .replace(/replaced-\d{8}T\d{6}Z(?:-\d+)?/, 'replaced')
    .replace(/\.[0-9a-f]{12}\.tmp/, '.CHANCE.tmp')
    .replace(/\.\d+\.tmp/, '.PID.tmp');
}

/** What `doctor` says about the files of a store. */
export async function doctorOn(url: string, keyring: string): Promise<string> {
  const { findings, ...store } = await checkStore(url, keyring);
  return JSON.stringify([findings, checkKeyring(keyring, store)]);
}
