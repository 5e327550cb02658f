import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UNNAMED_ORGANISATION } from '../../src/core/administrative-records.ts';
import { TicketscanError } from '../../src/core/errors.ts';
import { DEFAULT_LIMITS, OPEN_SECONDS_DEFAULT } from '../../src/core/limits.ts';
import type { DeviceRecord, Organisation } from '../../src/core/records.ts';
import type {
  BatchRequest,
  DeviceContact,
  HeartbeatRequest,
  LimitedRequest,
  ScanOutcome,
  ScanRequest,
} from '../../src/core/scan-requests.ts';
import type { NewTicket } from '../../src/core/ticket.ts';
import { newTicket, type TicketOptions } from '../../src/core/ticket-changes.ts';
import { makeEventId } from '../../src/core/ticket-id.ts';
import { Administration } from '../../src/features/administration.ts';
import { BASE36, randomText } from '../../src/kit/random.ts';
import { openStore } from '../../src/stores/open-store.ts';
import type { Store } from '../../src/stores/store.ts';
import { scanGivenUp } from '../../src/stores/store-errors.ts';
import { AN_AUDIT_ENTRY } from './an-audit-entry.ts';
import { TestClock } from './clock.ts';
import { postgresSchema } from './postgres/schema.ts';
import { storeSchema } from './postgres/store-schema.ts';
import { created } from './records.ts';

/** How the tests get at a store of one kind. A further kind is one more entry in `SET_UPS`. */
interface EngineSetUp {
  /** What is stored is there when the store is opened again. */
  readonly persists: boolean;
  /** Makes an empty place for one test. @param folder an empty folder, removed after the test */
  readonly place: (folder: string) => Promise<Place>;
  /** The same where no store was opened before, when such a place costs more. */
  readonly untouched?: () => Promise<Place>;
}

interface Place {
  readonly url: string;
  /** Removes what lies outside the folder; called when the store is closed. */
  readonly remove?: () => Promise<void>;
}

const SET_UPS = {
  memory: { persists: false, place: async () => ({ url: 'memory:' }) },
  sqlite: {
    persists: true,
    place: async (folder) => ({ url: `sqlite:${join(folder, 'store.db')}` }),
  },
  json: {
    persists: true,
    place: async (folder) => ({ url: `json:${join(folder, 'store.json')}` }),
  },
  postgres: { persists: true, place: storeSchema, untouched: postgresSchema },
} satisfies Record<string, EngineSetUp>;

export type Engine = keyof typeof SET_UPS;
/** `npm run mutants` names the kinds of stores that it tries; the other tests try them all. */
const wanted = process.env['TEST_ENGINES']?.split(',');
const isWanted = (engine: Engine) => wanted?.includes(engine) ?? true;
/** All that a store can be opened as. */
export const EVERY_STORE = (Object.keys(SET_UPS) as Engine[]).filter(isWanted);
/** The two that a method of a store is written for. `memory:` is a SQLite database without a file, `json:` one beside a document. */
export const ENGINES = (['sqlite', 'postgres'] as const).filter(isWanted);
/**
 * A thread of its own takes longer to start than most tests take. `contract/threads.proof.test.ts` runs the contract and the endpoints with threads, as those of
 * `test/stores` run always.
 */
export const HAS_THREADS = process.env['TEST_STORE_THREADS'] !== undefined;

export function placeOf(engine: Engine, folder: string): Promise<Place> {
  return SET_UPS[engine].place(folder);
}

export const LASTING_STORES = EVERY_STORE.filter((engine) => SET_UPS[engine].persists);

const IN_MEMORY = '/dev/shm';
const FREE_BYTES_MIN = 2 ** 30;

/** A store of a test need not survive a power cut: it does not wait for the disk where the system has one in memory. */
export function storeFolder(): string {
  const { bavail, bsize } = existsSync(IN_MEMORY) ? statfsSync(IN_MEMORY) : { bavail: 0, bsize: 0 };
  const parent = bavail * bsize > FREE_BYTES_MIN ? IN_MEMORY : tmpdir();
  return mkdtempSync(join(parent, 'ticketscan-store-'));
}

/** Two stores may be open on the same data at once, as two processes would have them. */
export const isShared = (engine: Engine): boolean => ENGINES.some((one) => one === engine);

/** Each kind of store once as a source and once as a target. */
export const NEIGHBOURS = EVERY_STORE.map(
  (from, index) => [from, EVERY_STORE[(index + 1) % EVERY_STORE.length] as Engine] as const,
);

/** A store with an organisation, an event and a key that may scan it. */
export class TestStore implements AsyncDisposable {
  store: Store;
  readonly url: string;
  readonly clock = new TestClock();
  readonly folder: string;
  eventId = '';
  keyId = '';

  readonly #remove: Place['remove'];
  readonly #inThisThread: boolean;
  readonly #others: Store[] = [];

  private constructor(store: Store, { url, remove }: Place, folder: string, inThisThread: boolean) {
    this.store = store;
    this.url = url;
    this.#remove = remove;
    this.#inThisThread = inThisThread;
    this.folder = folder;
  }

  /** @param contents `empty` leaves out the organisation, the event and the key */
  static async open(engine: Engine, contents?: 'empty'): Promise<TestStore> {
    const folder = storeFolder();
    return TestStore.openAt(await SET_UPS[engine].place(folder), folder, contents);
  }

  /** Where no store was opened before: this one makes its tables. */
  static async openUntouched(engine: Engine): Promise<TestStore> {
    const setUp: EngineSetUp = SET_UPS[engine];
    const folder = storeFolder();
    return TestStore.openAt(await (setUp.untouched ?? setUp.place)(folder), folder);
  }

  /** A store whose database has a thread of its own, as a server has it. */
  static async openInThread(engine: Engine): Promise<TestStore> {
    const folder = storeFolder();
    return TestStore.openAt(await SET_UPS[engine].place(folder), folder, undefined, false);
  }

  /** Opens a store at a place of the test's own. */
  static async openAt(
    place: Place,
    folder = storeFolder(),
    contents?: 'empty',
    inThisThread = !HAS_THREADS,
  ): Promise<TestStore> {
    const store = await openStore(place.url, { inThisThread });
    const made = new TestStore(store, place, folder, inThisThread);
    if (contents !== 'empty') await made.#fill();
    return made;
  }

  /** All in one change: most of a short test would be spent on three. */
  async #fill(): Promise<void> {
    const createdAt = this.clock.now();
    const organisationId = `org_${randomText(BASE36, 10, randomBytes)}`;
    this.eventId = makeEventId(randomBytes);
    this.keyId = `key_${randomText(BASE36, 10, randomBytes)}`;
    const made = [
      created('organisation', {
        id: organisationId,
        name: UNNAMED_ORGANISATION,
        limits: DEFAULT_LIMITS,
        createdAt,
      }),
      created('event', {
        id: this.eventId,
        organisationId,
        name: 'Pool',
        createdAt,
        archivedAt: null,
      }),
      created('key', {
        id: this.keyId,
        organisationId,
        name: 'gate',
        type: 'api',
        events: 'all',
        active: true,
        relay: 'auto',
        openSeconds: OPEN_SECONDS_DEFAULT,
        createdAt,
      }),
    ];
    const audit = made.map(({ kind }) => ({ ...AN_AUDIT_ENTRY, act: `${kind}.create` }));
    await this.store.write({ records: made, audit });
  }

  get administration(): Administration {
    return new Administration(this.store, this.clock, randomBytes);
  }

  async mint(options: Partial<TicketOptions> = {}): Promise<NewTicket> {
    const whole = { kind: 'single', eventId: this.eventId, ...options } as const;
    const ticket = newTicket(whole, this.clock.now(), randomBytes);
    await this.store.insertTickets([ticket], AN_AUDIT_ENTRY);
    return ticket;
  }

  request(ticketId: string, changes: Partial<ScanRequest> = {}): ScanRequest {
    return {
      kind: 'scan',
      keyId: this.keyId,
      operation: 'consume',
      subject: { kind: 'ticket', ticketId, eventId: ticketId.split('_')[1] ?? '' },
      now: this.clock.now(),
      serial: null,
      reader: null,
      retry: null,
      ...changes,
    };
  }

  heartbeat(
    contact: DeviceContact | null,
    changes: Partial<HeartbeatRequest> = {},
  ): HeartbeatRequest {
    return { kind: 'heartbeat', keyId: this.keyId, contact, now: this.clock.now(), ...changes };
  }

  /** A request over its rate. */
  limited(): LimitedRequest {
    return { kind: 'limited', keyId: this.keyId, now: this.clock.now(), waitMs: 1 };
  }

  async scan(...requests: BatchRequest[]): Promise<readonly ScanOutcome[]> {
    try {
      return (await this.store.commitScans(requests)).outcomes;
    } catch (error) {
      // Beside other work a database may take longer than a guest waits; then nothing was changed.
      if (error instanceof TicketscanError && error.message === scanGivenUp().message)
        return this.scan(...requests);
      throw error;
    }
  }

  /** What became of each scan of a batch. */
  async statuses(...requests: BatchRequest[]): Promise<string[]> {
    return (await this.scan(...requests)).map(statusOfOutcome);
  }

  /** What became of one use that is asked for. */
  async consume(ticketId: string, changes: Partial<ScanRequest> = {}): Promise<string> {
    return statusOfOutcome((await this.scan(this.request(ticketId, changes)))[0]);
  }

  /** What an audit finds. */
  async problems(): Promise<readonly string[]> {
    return (await this.store.verify()).problems;
  }

  /** Closes the store and opens it again, as after a clean stop. */
  async reopen(): Promise<void> {
    await this.store.close();
    this.store = await openStore(this.url, { inThisThread: this.#inThisThread });
  }

  /** A second store on the same data, for engines that are shared, in a thread: the two wait for each other. Closed with this one. */
  async another(): Promise<Store> {
    const other = await openStore(this.url);
    this.#others.push(other);
    return other;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const store of [...this.#others, this.store]) await store.close();
    await this.#remove?.();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** The status of a decision, or what kind of refusal it was. */
export function statusOfOutcome(outcome: ScanOutcome | undefined): string {
  if (outcome?.kind !== 'decided') return outcome?.kind ?? 'none';
  const { decision } = outcome;
  return decision.status === 'rejected' ? decision.reason : decision.status;
}

/** The devices of all organisations. */
export async function everyDevice(store: {
  list(kind: 'organisation'): Promise<readonly Organisation[]>;
  listDevices(organisationId: string): Promise<DeviceRecord[]>;
}): Promise<DeviceRecord[]> {
  const organisations = await store.list('organisation');
  return (await Promise.all(organisations.map(({ id }) => store.listDevices(id)))).flat();
}
