import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import * as z from 'zod';
import { baseUrlFrom } from '../config/addresses.ts';
import { ADDRESS_SETTINGS, WEBHOOK_SETTINGS } from '../config/settings.ts';
import { systemClock } from '../config/system-clock.ts';
import type { Clock } from '../core/clock.ts';
import { TicketscanError } from '../core/errors.ts';
import type { ApiKeyRecord, Organisation } from '../core/records.ts';
import type { Keyring } from '../core/ticket-code.ts';
import type { JsonClientOptions } from '../kit/json-client.ts';
import type { AdminClient } from '../operations/admin-client.ts';
import type { Call, Operation } from '../operations/operation.ts';
import { describeStoreUrl, openStore, parseStoreUrl } from '../stores/open-store.ts';
import type { Store } from '../stores/store.ts';
import type { FormatOptions } from '../stores/store-format.ts';
import { type CliIo, detail } from '../terminal/io.ts';
import { readKeyValue } from '../terminal/key-value.ts';
import { readCa, readSettings } from '../terminal/options.ts';
import { administrationOn } from './administration.ts';
import type { OperationContext } from './context.ts';
import { type Event, listEvents } from './events/operations.ts';
import { findKeyByHash, type Key, listKeys } from './keys/operations.ts';
import { getOrganisation } from './organisations/operations.ts';
import { findNamed } from './record-checks.ts';
import { OrganisationScope } from './scope.ts';
import { keyringOfSite } from './sites/verifying-keys.ts';
import {
  keyringPath,
  missingKeyring,
  openKeyring,
  openOrMakeStore,
  requireExistingStore,
  STORE_SETTINGS,
  tellNotice,
} from './store/opening.ts';

/*
 * How a command reaches data. It calls operations: `call(listEvents, {})` answers the same on a store and at a server.
 *
 * `withData` reads from the settings where the data is. With `--url` each call is a request to the admin API of that server
 * (`operations/admin-client`). Without, the store of `--store` is opened in this process, and each call runs its operation on it: the
 * operation reaches its objects through a scope (`scope`), as it does in a server. `withStore` is for commands that no server can do.
 * `dataCommand` and `storeCommand` (`data-command`) make commands that are given their data by these two.
 */

/** The settings that tell where the data is: a store, or a server that has one. */
export const DATA_SETTINGS = [...STORE_SETTINGS, 'url', 'token', 'ca'] as const;

type Options = Readonly<Record<string, unknown>>;

interface Listed {
  readonly organisation: Organisation;
  readonly event: Event;
  readonly key: Key;
}

/** A store that is open in this process. */
export interface OpenStore {
  readonly store: Store;
  readonly clock: Clock;
  /** The signing keys; made when the store is new. @throws TicketscanError `keyring` */
  keyring(): Promise<Keyring>;
}

/** The data that a command works on: in a store that is open here, or at a server. */
export interface DataAccess {
  readonly io: CliIo;
  /** Calls an operation: on a store for all organisations, at a server for that of the token. */
  readonly call: Call;
  /**
   * Calls for one organisation. @param organisation an id or name; not needed if only one exists
   * @throws TicketscanError `not_found`, `usage`
   */
  callFor(organisation: string | undefined): Promise<Call>;
  /** Archived events too. */
  list<Kind extends keyof Listed>(kind: Kind): Promise<readonly Listed[Kind][]>;
  /** @throws TicketscanError `not_found`, `usage` when several have the name */
  findEvent(nameOrId: string): Promise<Event>;
  /** Finds a key by the hash of its value: the value itself is not sent. */
  findKeyByHash(hash: string): Promise<{ readonly key: ApiKeyRecord } | undefined>;
  /** The server's address, if the command runs against one. */
  readonly url?: string;
  /** The server's clock, if the command runs against one. */
  readonly clock: Clock;
  /** The connection to the server, if the command runs against one. */
  readonly client?: AdminClient;
  /** The store, when it is open here. */
  readonly local?: OpenStore;
}

/** The data of a command that works on a store only. */
export interface StoreAccess extends DataAccess {
  readonly local: OpenStore;
}

/** How a store is opened, where there is one. */
interface Opening extends FormatOptions {
  /** True for commands that may make the store and its keyring: in a wrong folder, others must not make one and say that it is empty. */
  readonly mayMake?: boolean;
}

/**
 * Runs `work` on the store that the options name or, with `--url`, through a server's admin API.
 * @throws TicketscanError as `withStore` does, `usage`, and whatever the server answers
 */
export async function withData<Result>(
  io: CliIo,
  options: Options,
  work: (access: DataAccess) => Promise<Result>,
  opening: Opening = {},
): Promise<Result> {
  const url = serverFrom(io, options);
  if (url !== undefined) return work(await atServer(io, options, url));
  if (options['token'] !== undefined) {
    throw new TicketscanError(
      'usage',
      '--token is used with a server only: name the server with --url.',
    );
  }
  return withStore(io, options, work, opening);
}

/**
 * Opens the store that the options name, runs `work`, and closes the store in any case.
 * @throws TicketscanError `store_unavailable` if there is no store yet, and what `openStore` throws
 */
export async function withStore<Result>(
  io: CliIo,
  options: Options,
  work: (access: StoreAccess) => Promise<Result>,
  { mayMake = false, ...format }: Opening = {},
): Promise<Result> {
  const settings = readSettings(STORE_SETTINGS, options, io);
  const url = settings.store;
  if (!mayMake && parseStoreUrl(url).engine !== 'memory') requireExistingStore(url);
  const startedAt = performance.now();
  const store = mayMake
    ? await openOrMakeStore(io, url)
    : await openStore(url, { ...format, inThisThread: true });
  const elapsedMs = performance.now() - startedAt;
  tellNotice(io, store);
  detail(io, `Store: ${describeStoreUrl(url)}, opened in ${elapsedMs.toFixed(0)} ms`);
  const keyring = async () => {
    const ofSite = await keyringOfSite(store);
    if (ofSite) return ofSite;
    const path = keyringPath(url, settings.keyring);
    if (!mayMake && path !== undefined && !existsSync(path)) throw missingKeyring(path);
    if (path !== undefined) detail(io, `Signing keys: ${path}`);
    return openKeyring(store, path, io);
  };
  try {
    return await work(onStore(io, options, { store, clock: systemClock, keyring }));
  } finally {
    await store.close();
  }
}

function onStore(io: CliIo, options: Options, local: OpenStore): StoreAccess {
  const { store, clock, keyring } = local;
  const deps = { store, clock, random: randomBytes };
  const callIn = (organisation: Organisation | undefined) =>
    callOn({
      ...deps,
      keyring,
      scope: new OrganisationScope({ organisation }, deps),
      webhookNetwork: async () => {
        const { sendOnce } = await import('./webhooks/network.ts');
        return sendOnce(readSettings(WEBHOOK_SETTINGS, options, io));
      },
      baseUrl: () => baseUrlFrom(readSettings(ADDRESS_SETTINGS, options, io)),
    });
  return {
    io,
    ...readers(callIn(undefined), () => store.list('organisation')),
    callFor: async (named) =>
      callIn(
        named === undefined ? undefined : await administrationOn(local).organisations.find(named),
      ),
    clock,
    local,
  };
}

type Members = Readonly<Record<string, unknown>>;

/** Runs operations here. Members with a default may be left out, as at a server; what an operation leaves to be done ends before the call does. */
function callOn(context: Omit<OperationContext, 'afterwards'>): Call {
  const call = async ({ params, query, body, run }: Operation, input: Members) => {
    const defaults = [params, query, body].flatMap((part) => (part ? [defaultsOf(part)] : []));
    const given = Object.entries(input).filter(([, value]) => value !== undefined);
    const whole = Object.assign({}, ...defaults, Object.fromEntries(given));
    const begun: Promise<unknown>[] = [];
    const afterwards = (work: Promise<unknown>) => void begun.push(work);
    const answer = await run({ ...context, afterwards } as never, whole);
    await Promise.all(begun);
    return answer;
  };
  return call as Call;
}

function defaultsOf(part: z.ZodObject): Members {
  const members = Object.entries(part.shape).flatMap(([name, schema]) => {
    const read = z.safeParse(schema, undefined);
    return read.success && read.data !== undefined ? [[name, read.data]] : [];
  });
  return Object.fromEntries(members);
}

async function atServer(io: CliIo, options: Options, url: string): Promise<DataAccess> {
  const { token } = readSettings(['token'], options, io);
  if (options['store'] !== undefined) {
    throw new TicketscanError('usage', '--url and --store cannot be combined: give one of them.');
  }
  const { AdminClient } = await import('../operations/admin-client.ts');
  const reach = { ca: readCa(options, io), onAnswer: answersTo(io, url) };
  const client = new AdminClient(url, tokenFrom(token, io), reach);
  const { call } = client;
  const own = () => call(getOrganisation, {});
  return {
    io,
    ...readers(call, async () => [await own()]),
    callFor: async (named) => {
      if (named !== undefined) findNamed('organisation', named, [await own()]);
      return call;
    },
    url,
    clock: client.clock,
    client,
  };
}

function readers(call: Call, organisations: () => Promise<Organisation[]>) {
  const lists: { readonly [Kind in keyof Listed]: () => Promise<readonly Listed[Kind][]> } = {
    organisation: organisations,
    event: () => allPages((page) => call(listEvents, { archived: 'true', ...page })),
    key: () => allPages((page) => call(listKeys, page)),
  };
  return {
    call,
    list: <Kind extends keyof Listed>(kind: Kind) => lists[kind](),
    findEvent: async (nameOrId: string) => findNamed('event', nameOrId, await lists.event()),
    findKeyByHash: async (hash: string) => {
      const key = await unlessMissing(call(findKeyByHash, { hash }));
      return key && { key };
    },
  };
}

/** The items of all pages of a list. */
export async function allPages<Item>(
  read: (page: { readonly after?: string }) => Promise<{
    readonly items: readonly Item[];
    readonly next: string | null;
  }>,
): Promise<Item[]> {
  const all: Item[] = [];
  for (let after: string | undefined; ; ) {
    const { items, next } = await read(after === undefined ? {} : { after });
    all.push(...items);
    if (next === null) return all;
    after = next;
  }
}

/** Absence is an answer, not an error. */
async function unlessMissing<Found>(answer: Promise<Found>): Promise<Found | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof TicketscanError && error.code === 'not_found') return undefined;
    throw error;
  }
}

/** The server to ask. A store that is named here is meant, whatever server the environment names. */
function serverFrom(io: CliIo, options: Readonly<Record<string, unknown>>): string | undefined {
  const { url } = readSettings(['url'], options, io);
  return options['url'] !== undefined || options['store'] === undefined ? url : undefined;
}

/** Tells of each answer for `--verbose`, without the query, which may contain the name of a guest. */
function answersTo(io: CliIo, url: string): NonNullable<JsonClientOptions['onAnswer']> {
  detail(io, `Server: ${describeStoreUrl(url)}`);
  return ({ method, path }, status, elapsedMs) => {
    const [shown] = path.split('?');
    detail(io, `${method} ${shown}: HTTP ${status} after ${elapsedMs.toFixed(0)} ms`);
  };
}

function tokenFrom(token: string | undefined, io: CliIo): string {
  if (token !== undefined) return readKeyValue(token, io, '--token, or TICKETSCAN_TOKEN,');
  throw new TicketscanError(
    'usage',
    'The server needs an access token: --token env:NAME or file:PATH, or TICKETSCAN_TOKEN. Create one in the dashboard.',
  );
}
