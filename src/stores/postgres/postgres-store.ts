import type { ClientBase } from 'pg';
import type { BatchingStore, Store } from '../store.ts';
import { postgresHosts } from './address.ts';
import * as administration from './administration.ts';
import { audit } from './audit.ts';
import { Connections } from './connections.ts';
import { explain, explainOpening } from './failures.ts';
import { endImport, importRecords, unfinishedCopy } from './import-records.ts';
import { LogPartitions } from './log-partitions.ts';
import { countOutcomes, searchLog } from './log-search.ts';
import { listDevices, readLog } from './log-table.ts';
import { migrate } from './migrate.ts';
import { dropOldOperations } from './operations.ts';
import { prunableLog, pruneLog } from './prune-log.ts';
import { ScanCommitter } from './scan-committer.ts';
import { SharedBuckets } from './shared-buckets.ts';
import { PostgresSnapshot } from './snapshot.ts';
import { storeInfo } from './store-info.ts';
import {
  cancelTicket,
  countTickets,
  findTicket,
  insertTickets,
  listTickets,
  reinstateTicket,
  searchTickets,
} from './ticket-table.ts';
import {
  appendTrail,
  deleteDocument,
  findDocument,
  listDocuments,
  putDocument,
  readTrail,
} from './trail-table.ts';
import { durably } from './transaction.ts';

/** While one batch waits for the disk or a standby, another is read and decided. A third would be small, and cost as much. */
const BATCHES_IN_FLIGHT = 2;

/**
 * A store in a PostgreSQL database that many instances share. Tables are made on the first start.
 * @param url one server or several; see `postgresHosts`
 * @throws TicketscanError `usage`, `store_unavailable`, `store_newer`; never with a password in it
 */
export async function openPostgresStore(url: string): Promise<Store & BatchingStore> {
  const hosts = postgresHosts(url);
  const where = hosts.map(({ name }) => name).join(', ');
  const pools = {
    scans: new Connections(hosts, { connectionsMax: BATCHES_IN_FLIGHT }),
    quick: new Connections(hosts, { connectionsMax: 3 }),
    limits: new Connections(hosts, { connectionsMax: 2, options: '-c synchronous_commit=off' }),
    patient: new Connections(hosts, { connectionsMax: 3, patient: true }),
  };
  const close = async () => {
    await Promise.all(Object.values(pools).map((pool) => pool.close()));
  };
  let versionFound: number;
  try {
    versionFound = await pools.patient.with(async (client) => {
      const found = await migrate(client);
      await dropOldOperations(client);
      return found;
    });
  } catch (error) {
    await close();
    throw explainOpening(error, where);
  }
  const committer = new ScanCommitter({
    connections: pools.scans,
    others: pools.quick,
    buckets: new SharedBuckets(pools.limits),
    partitions: new LogPartitions(pools.quick),
  });
  const snapshot = new PostgresSnapshot(pools.patient);
  const store: Store & BatchingStore = {
    batchesInFlight: BATCHES_IN_FLIGHT,
    commitScans: (requests) => committer.commit(requests),
    ...on(pools.quick, administration),
    ...on(pools.quick, {
      appendTrail,
      readTrail,
      findDocument,
      listDocuments,
      putDocument,
      deleteDocument,
    }),
    ...on(pools.quick, { findTicket, cancelTicket, reinstateTicket, listDevices }),
    ...on(pools.patient, { insertTickets, listTickets, searchTickets, countTickets }),
    ...on(pools.patient, { readLog, searchLog, countOutcomes, audit, prunableLog, pruneLog }),
    ...on(pools.patient, { importRecords, unfinishedCopy, endImport }),
    beginSnapshot: () => snapshot.begin(),
    readSnapshot: (...args) => snapshot.page(...args),
    endSnapshot: () => snapshot.end(),
    info: () => pools.patient.with((client) => storeInfo(client, where, versionFound)),
    checkWritable: () =>
      pools.quick.with(async (client) => {
        await durably(client, 'UPDATE write_check SET number = number + 1');
      }),
    close: async () => {
      await snapshot.end();
      await close();
    },
  };
  return explainingErrors(store, where);
}

type OnClient = Record<string, (client: ClientBase, ...args: never[]) => Promise<unknown>>;

type Bound<Functions> = {
  [Name in keyof Functions]: Functions[Name] extends (
    client: ClientBase,
    ...args: infer Args
  ) => Promise<infer Result>
    ? (...args: Args) => Promise<Result>
    : never;
};

/** Each function takes a connection of this pool when it is called. */
function on<Functions extends OnClient>(pool: Connections, functions: Functions): Bound<Functions> {
  const entries = Object.entries(functions).map(([name, run]) => [
    name,
    (...args: never[]) => pool.with((client) => run(client, ...args)),
  ]);
  return Object.fromEntries(entries) as Bound<Functions>;
}

function explainingErrors<Methods extends object>(store: Methods, where: string): Methods {
  const entries = Object.entries(store).map(([name, member]) => [
    name,
    typeof member === 'function' ? explaining(member as AnyMethod, where) : member,
  ]);
  return Object.fromEntries(entries) as Methods;
}

type AnyMethod = (...args: unknown[]) => Promise<unknown>;

function explaining(method: AnyMethod, where: string): AnyMethod {
  return async (...args) => {
    try {
      return await method(...args);
    } catch (error) {
      throw explain(error, where);
    }
  };
}
