import type { ClientBase, PoolClient } from 'pg';
import { TicketscanError } from '../../core/errors.ts';
import type { BatchRequest } from '../../core/scan-requests.ts';
import type { SqlWork } from '../sql/connection.ts';
import { beginDeletion, continueDeletion } from '../sql/deletion.ts';
import { undoUse } from '../sql/log.ts';
import { SqlStore } from '../sql/sql-store.ts';
import { endImport, importRecords, readPage } from '../sql/transfer.ts';
import { verify } from '../sql/verify.ts';
import type { ScanBatchResult, Store, StoreInfo, VerifyReport } from '../store.ts';
import type { FormatOptions } from '../store-format.ts';
import type { RecordPage, Section } from '../transfer/records.ts';
import { postgresHosts } from './address.ts';
import { Connections, KnownServers, type TellOperator } from './connections.ts';
import { explain, explainOpening } from './failures.ts';
import { migrate, refuseChangedFormat } from './migrations.ts';
import { PostgresConnection } from './postgres-connection.ts';
import { ScanCommitter } from './scan-committer.ts';
import { LogPartitions, preparePartitions, waitForBatches } from './scan-log.ts';
import { BEGIN_READING, dropOldOperations, rollBack, sendDurably } from './transaction.ts';
import { pruneLog, storeInfo } from './upkeep.ts';

/** While one batch waits for the disk or a standby, another is read and decided. A third would be small, and would cost as much. */
const BATCHES_IN_FLIGHT = 2;

/** Devices wait 3 s for an answer: a later answer opens nothing, and its use would be lost. */
const SCAN_MS_MAX = 2500;

/**
 * Opens a store in a PostgreSQL database that many instances may share. The first start makes the tables.
 * @param url one server or several; see `postgresHosts`
 * @throws TicketscanError `usage`, `store_unavailable`, `store_newer`, `store_damaged`; never with a password in it
 */
export async function openPostgresStore(
  url: string,
  options: FormatOptions = {},
): Promise<PostgresStore> {
  const hosts = postgresHosts(url);
  const servers = new KnownServers(hosts);
  const pools = {
    scans: new Connections(servers, { connectionsMax: BATCHES_IN_FLIGHT }),
    quick: new Connections(servers, { connectionsMax: 3 }),
    limits: new Connections(servers, { connectionsMax: 2, settings: NO_SYNC }),
    patient: new Connections(servers, { connectionsMax: 3, patient: true }),
  };
  try {
    await pools.quick.meetAll();
    const versionFound = await pools.patient.with(async (client) => {
      const found = await migrate(client, options);
      await dropOldOperations(client);
      return found;
    });
    return new PostgresStore(pools, servers, versionFound);
  } catch (error) {
    await closeAll(pools);
    throw explainOpening(error, namesOf(servers));
  }
}

/** The setting for data that a crash may lose. */
const NO_SYNC = { synchronous_commit: 'off' };

const GO_ON_AFTER_REMOVED = `
  SELECT setval('scan_log_sequence', greatest((SELECT last_value FROM scan_log_sequence), (value::json->>'removedTo')::bigint))
  FROM administrative_record WHERE kind = 'log-ends' AND id = 'log' AND (value::json->>'removedTo')::bigint > 0`;

/** The names of the servers, without secrets. */
function namesOf({ hosts }: KnownServers): string {
  return hosts.map(({ name }) => name).join(', ');
}

/** The pools of connections, each for one kind of work, so that no kind waits for another. */
interface Pools {
  readonly scans: Connections;
  readonly quick: Connections;
  readonly limits: Connections;
  readonly patient: Connections;
}

async function closeAll(pools: Pools): Promise<void> {
  await Promise.all(Object.values(pools).map((pool: Connections) => pool.close()));
}

export class PostgresStore extends SqlStore {
  readonly batchesInFlight = BATCHES_IN_FLIGHT;
  readonly scanMsMax = SCAN_MS_MAX;
  readonly #pools: Pools;
  readonly #servers: KnownServers;
  readonly #versionFound: number;
  readonly #committer: ScanCommitter;
  readonly #snapshot: PostgresSnapshot;

  constructor(pools: Pools, servers: KnownServers, versionFound: number) {
    super();
    this.#pools = pools;
    this.#servers = servers;
    this.#versionFound = versionFound;
    this.#committer = new ScanCommitter({
      connections: pools.scans,
      others: pools.quick,
      limits: pools.limits,
      partitions: new LogPartitions(pools.quick),
    });
    this.#snapshot = new PostgresSnapshot(pools.patient);
  }

  commitScans(
    requests: readonly BatchRequest[],
    deadlineMs = performance.now() + SCAN_MS_MAX,
  ): Promise<ScanBatchResult> {
    return this.#explaining(this.#committer.commit(requests, deadlineMs));
  }

  /** Verifies the data as they are at one moment. */
  verify(): Promise<VerifyReport> {
    return this.#onPatient(async (client) => {
      await client.query(BEGIN_READING);
      try {
        return await verify(new PostgresConnection(client));
      } finally {
        await rollBack(client);
      }
    });
  }

  override readonly pruneLog: Store['pruneLog'] = (...input) =>
    this.withoutDeadline((sql) => pruneLog(sql, ...input));

  override readonly importRecords: Store['importRecords'] = async (page, checkpoint) => {
    if (page.section === 'log') {
      await this.#onPatient((client) => preparePartitions(client, page.records));
    }
    await this.withoutDeadline((sql) => importRecords(sql, page, checkpoint));
  };

  override readonly undoUse: Store['undoUse'] = async (request, auditEntry) => {
    await this.#onPatient((client) => preparePartitions(client, [request]));
    return this.withoutDeadline((sql) => undoUse(sql, request, auditEntry));
  };

  override readonly beginDeletion: Store['beginDeletion'] = async (request, auditEntry) => {
    await this.withDeadline((sql) => beginDeletion(sql, request, auditEntry));
    await this.#onPatient(waitForBatches);
  };

  /** Waits for batches first, because the process that began the deletion may have ended before it could wait. */
  override readonly continueDeletion: Store['continueDeletion'] = async (id, now) => {
    await this.#onPatient(waitForBatches);
    return this.withoutDeadline((sql) => continueDeletion(sql, id, now));
  };

  /** Lets numbers continue after those that a deletion removed from the source. */
  override readonly endImport: Store['endImport'] = async () => {
    await this.#onPatient((client) => client.query(GO_ON_AFTER_REMOVED));
    await this.withoutDeadline(endImport);
  };

  beginSnapshot(): Promise<void> {
    return this.#explaining(this.#snapshot.begin());
  }

  readSnapshot(section: Section, after: string | null, limit: number): Promise<RecordPage> {
    return this.#explaining(this.#snapshot.page(section, after, limit));
  }

  endSnapshot(): Promise<void> {
    return this.#snapshot.end();
  }

  /** Does nothing and returns false: the operator purges the database's own files, by VACUUM FULL and by the age of its logs and backups. */
  async purgeErased(): Promise<boolean> {
    return false;
  }

  info(): Promise<StoreInfo> {
    const known = { servers: namesOf(this.#servers), isPooled: this.#servers.isPooled };
    return this.#onPatient((client) => storeInfo(client, known, this.#versionFound));
  }

  tellOperator(tell: TellOperator): void {
    this.#servers.tell = tell;
    const raised = this.#servers.hosts.find(({ raisedMode }) => raisedMode !== undefined);
    if (raised) {
      tell(
        'info',
        `sslmode=${raised.raisedMode} in the URL of the store: the certificate of the server is checked as with verify-full.`,
      );
    }
    if (this.#servers.isPooled) {
      tell('info', 'A pooler is in front of the database: no statement is prepared for later.');
    }
  }

  checkWritable(): Promise<void> {
    const write = this.#pools.quick.with(async (client) => {
      await refuseChangedFormat(client);
      await sendDurably(client, 'UPDATE write_check SET number = number + 1');
    });
    return this.#explaining(write);
  }

  async close(): Promise<void> {
    await this.#snapshot.end();
    await closeAll(this.#pools);
  }

  protected withDeadline<Result>(work: SqlWork<Result>): Promise<Result> {
    return this.#explaining(
      this.#pools.quick.with((client) => work(new PostgresConnection(client))),
    );
  }

  protected withoutDeadline<Result>(work: SqlWork<Result>): Promise<Result> {
    return this.#onPatient((client) => work(new PostgresConnection(client)));
  }

  #onPatient<Result>(work: (client: ClientBase) => Promise<Result>): Promise<Result> {
    return this.#explaining(this.#pools.patient.with(work));
  }

  async #explaining<Result>(work: Promise<Result>): Promise<Result> {
    try {
      return await work;
    } catch (error) {
      throw explain(error, namesOf(this.#servers));
    }
  }
}

/** The state of the database at one moment, read in a transaction that sees no later change. */
class PostgresSnapshot {
  readonly #connections: Connections;
  #client: PoolClient | undefined;

  constructor(connections: Connections) {
    this.#connections = connections;
  }

  async begin(): Promise<void> {
    await this.end();
    const client = await this.#connections.take();
    this.#client = client;
    await client.query(BEGIN_READING);
    // The first read fixes what the transaction sees.
    await client.query('SELECT revision FROM state');
  }

  async page(section: Section, after: string | null, limit: number): Promise<RecordPage> {
    if (!this.#client)
      throw new TicketscanError('store_unavailable', 'No snapshot of the store has been begun.');
    return readPage(new PostgresConnection(this.#client), section, after, limit);
  }

  async end(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    // The transaction ends with the connection.
    client?.release(true);
  }
}
