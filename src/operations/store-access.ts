import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { createKeyring, readKeyring, temporaryKeyring } from '../config/keyring-file.ts';
import { settingOf } from '../config/settings.ts';
import { systemClock } from '../config/system-clock.ts';
import type { Clock } from '../core/clock.ts';
import { TicketscanError } from '../core/errors.ts';
import { isSameName } from '../core/folded-text.ts';
import type { Organisation } from '../core/records.ts';
import type { Keyring } from '../core/ticket-code.ts';
import { checkTimeZone, chosenZone, inZone, shownTime } from '../core/time-zone.ts';
import { fileProblem, isThere } from '../kit/file-access.ts';
import { counted } from '../kit/text.ts';
import { openToOthers } from '../stores/file-guards.ts';
import { describeStoreUrl, filesOfStore, openStore, parseStoreUrl } from '../stores/open-store.ts';
import type { Store, StoreInfo } from '../stores/store.ts';
import type { FormatOptions } from '../stores/store-format.ts';
import { type CliIo, detail } from '../terminal/io.ts';
import { forOption, readSettings } from '../terminal/options.ts';

const KEYRING_FILE = 'ticketscan.keyring.json';

/** The settings that tell where the data is. */
export const STORE_SETTINGS = ['store', 'keyring'] as const;

export interface StoreAccess {
  readonly store: Store;
  readonly clock: Clock;
  /** The signing keys; made when the store is new. @throws TicketscanError `keyring` */
  keyring(): Promise<Keyring>;
}

/**
 * Opens the store that the options name, runs `work`, closes the store whatever happened. In a wrong folder it must not make a
 * store and say that there is nothing in it.
 * @throws TicketscanError `store_unavailable` where there is no store yet, and as `openStore` does
 */
export function withStore<Result>(
  io: CliIo,
  options: Readonly<Record<string, unknown>>,
  work: (access: StoreAccess) => Promise<Result>,
  format: FormatOptions = {},
): Promise<Result> {
  const settings = readSettings(STORE_SETTINGS, options, io);
  if (parseStoreUrl(settings.store).engine !== 'memory') requireExistingStore(settings.store);
  const open = (url: string) => openStore(url, { ...format, inThisThread: true });
  return withOpened(io, settings, work, { open, mayMake: false });
}

/** Opens a store for commands that may make it and its keyring; otherwise like `withStore`. */
export function withNewStore<Result>(
  io: CliIo,
  options: Readonly<Record<string, unknown>>,
  work: (access: StoreAccess) => Promise<Result>,
): Promise<Result> {
  const settings = readSettings(STORE_SETTINGS, options, io);
  const open = (url: string) => openOrMakeStore(io, url);
  return withOpened(io, settings, work, { open, mayMake: true });
}

async function withOpened<Result>(
  io: CliIo,
  { store: url, keyring }: { store: string; keyring: string | undefined },
  work: (access: StoreAccess) => Promise<Result>,
  { open, mayMake }: { open: (url: string) => Promise<Store>; mayMake: boolean },
): Promise<Result> {
  const startedAt = performance.now();
  const store = await open(url);
  const elapsedMs = performance.now() - startedAt;
  tellNotice(io, store);
  detail(io, `Store: ${describeStoreUrl(url)}, opened in ${elapsedMs.toFixed(0)} ms`);
  try {
    return await work({
      store,
      clock: systemClock,
      keyring: async () => {
        const path = keyringPath(url, keyring);
        if (!mayMake && path !== undefined && !existsSync(path)) throw missingKeyring(path);
        if (path !== undefined) detail(io, `Signing keys: ${path}`);
        return openKeyring(store, path, io);
      },
    });
  } finally {
    await store.close();
  }
}

/** Says what opening a store did that people should know: for every command that opens one. */
export function tellNotice(io: Pick<CliIo, 'err'>, { notice }: Pick<Store, 'notice'>): void {
  if (notice !== undefined) io.err(notice);
}

/** Where the signing keys are; undefined for a store that lasts as long as the process and has none named. */
export function keyringPath(storeUrl: string, named: string | undefined): string | undefined {
  if (named !== undefined) return resolve(named);
  const address = parseStoreUrl(storeUrl);
  if (address.engine === 'memory') return undefined;
  return join(address.engine === 'postgres' ? resolve('.') : dirname(address.path), KEYRING_FILE);
}

/**
 * Reads the keyring, and makes one for a store without tickets.
 * A missing keyring beside existing tickets is refused: a new one would turn every printed ticket into a forgery.
 * @param io is told where a new one is
 */
export async function openKeyring(
  store: Store,
  path: string | undefined,
  io?: Pick<CliIo, 'err'>,
): Promise<Keyring> {
  if (path === undefined) return temporaryKeyring();
  if (!existsSync(path)) {
    const tickets = await store.countTickets();
    // Another command may have made both meanwhile: it makes the keyring first.
    if (tickets > 0 && !existsSync(path)) {
      throw missingKeyring(path, `The store has ${counted(tickets, 'ticket')}, but their`);
    }
    createKeyring(path);
    io?.err(`New signing keys: ${path}`);
  }
  return readKeyring(path);
}

function missingKeyring(path: string, begin = 'The'): TicketscanError {
  return new TicketscanError(
    'keyring',
    `${begin} keyring ${path} is missing. Restore it, or name it with --keyring: with a new one all their codes would be invalid.`,
  );
}

/**
 * True when there is data at a store's URL; a store in memory begins without.
 * @throws TicketscanError `store_unavailable` when this user may not look: a store that cannot be seen is not a missing one
 */
export function storeExists(url: string): boolean {
  const address = parseStoreUrl(url);
  if (address.engine === 'memory') return false;
  try {
    return !('path' in address) || isThere(address.path);
  } catch (cause) {
    throw new TicketscanError(
      'store_unavailable',
      `${describeStoreUrl(url)} cannot be opened: ${fileProblem(cause)}`,
      { cause },
    );
  }
}

/**
 * Refuses a URL where there is no store yet: what only looks at one must not make one.
 * @throws TicketscanError `store_unavailable`, `usage` for a store in memory and for a URL that names no store
 */
export function requireExistingStore(url: string): void {
  if (storeExists(url)) return;
  if (parseStoreUrl(url).engine === 'memory') {
    throw new TicketscanError(
      'usage',
      'A store in memory is always empty when a command starts. Name another store.',
    );
  }
  throw new TicketscanError(
    'usage',
    `No store exists at ${describeStoreUrl(url)}. Change to its folder, or name it with --store. A new one is made by: ticketscan serve`,
  );
}

/** What to say when other users of this machine can read a store's files; undefined when they cannot. */
export function adviceOnOpenFiles(url: string): { finding: string; advice: string } | undefined {
  const open = openToOthers(filesOfStore(url));
  if (open.length === 0) return undefined;
  return {
    finding: `Other users of this machine can read ${open.join(', ')}, with names of visitors and hashes of keys.`,
    advice: `Unless you want that, run: chmod 600 ${open.map(quoted).join(' ')}`,
  };
}

/**
 * How a command names this store: nothing for the usual one. A password of PostgreSQL stays out.
 * @returns text to append to the command, with a blank in front
 */
export function storeOption(url: string): string {
  return url === settingOf('store').fallback ? '' : ` --store ${quoted(describeStoreUrl(url))}`;
}

/** Quotes a path for a shell, where it needs it. */
function quoted(path: string): string {
  return /^[\w./:@-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}

/** Opens a store, and says where it is when it was made for it. */
export async function openOrMakeStore(
  io: Pick<CliIo, 'err'>,
  url: string,
  open = openStore,
): Promise<Store> {
  const isNew = !storeExists(url);
  const address = parseStoreUrl(url);
  const store = await open(url);
  if (isNew && 'path' in address) io.err(`New store: ${resolve(address.path)}`);
  return store;
}

/** Opens a store that is there. @throws TicketscanError as `requireExistingStore` and `openStore` do */
export async function openExistingStore(url: string): Promise<Store> {
  requireExistingStore(url);
  return openStore(url);
}

/** The help of `--time-zone`. */
export const ZONE_HELP =
  'time zone of times without one (default: that of the organisation, else of this machine)';

type Owned = Readonly<Record<'id' | 'name' | 'organisationId', string>>;

interface ZoneSource {
  list(kind: 'organisation'): Promise<readonly Organisation[]>;
  list(kind: 'event' | 'key'): Promise<readonly Owned[]>;
}

/** What a command is about, as far as it is known. */
interface About {
  /** What `--time-zone` says. */
  readonly asked?: string | undefined;
  /** Id or name. */
  readonly organisation?: string | null | undefined;
  /** Id or name. */
  readonly event?: string | undefined;
  readonly keyId?: string | undefined;
}

/**
 * The zone in which a command reads and shows times: the one asked for, else that of the organisation that it is about, else that
 * of this machine. A command that may be about several organisations is about none of them.
 * @throws TicketscanError `usage` for a name that is no time zone
 */
export async function zoneOf(
  store: ZoneSource,
  { asked, organisation, event, keyId }: About = {},
): Promise<string> {
  if (asked !== undefined) return forOption('--time-zone', () => checkTimeZone(asked));
  const organisations = await store.list('organisation');
  if (organisations.length === 1) return chosenZone(undefined, organisations[0] ?? {});
  const known = [
    ...(event === undefined ? [] : await store.list('event')),
    ...(keyId === undefined ? [] : await store.list('key')),
  ];
  const about = known.find(
    ({ id, name }) => id === keyId || id === event || isSameName(name, event ?? ''),
  );
  const owner = organisation ?? about?.organisationId;
  const own = organisations.find(({ id, name }) => id === owner || isSameName(name, owner ?? ''));
  return chosenZone(undefined, own ?? {});
}

/** What tells whether it is the right store: names and values, in the order in which people are shown them. */
export function headOfInfo({ format, bytes, lastScanAt }: StoreInfo, zone: string): string[][] {
  return [
    ['format', String(format.version)],
    ['size', bytes === null ? 'unknown' : `${(bytes / 1_000_000).toFixed(1)} MB`],
    ['last scan', lastScanAt === null ? 'none' : inZone(shownTime(lastScanAt, zone), zone)],
  ];
}
