import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TargetInput } from '../../src/check/index.ts';
import { temporaryKeyring } from '../../src/config/keyring-file.ts';
import { systemClock } from '../../src/config/system-clock.ts';
import { hashApiKey } from '../../src/core/api-key.ts';
import { DEFAULT_LIMITS } from '../../src/core/limits.ts';
import { Administration } from '../../src/features/administration.ts';
import { seed } from '../../src/features/seed/rules.ts';
import { buildApp } from '../../src/scan/http/app.ts';
import { ScanService } from '../../src/scan/scan-service.ts';
import { openStore } from '../../src/stores/open-store.ts';
import type { KeyOfHash } from '../../src/stores/record-store.ts';
import type { ScanStore, Store } from '../../src/stores/store.ts';
import { keptLog } from './kept-log.ts';
import { storeSchema } from './postgres/store-schema.ts';
import type { Engine } from './stores.ts';

const TICKETS_PER_STATE = 40;
/** The explorer's own pace is not what these runs are about. */
export const NO_LIMITS = { rate: 1e6, burst: 1e6 };

export const EXPLORED_LIMITS = { ...DEFAULT_LIMITS, ratePerSecond: 1e6, burst: 1e6 };

export interface ExploredService extends AsyncDisposable {
  readonly port: number;
  readonly target: TargetInput;
  readonly engine: Engine;
  readonly storeUrl: string;
  readonly store: Store;
  /** The keys of the target. */
  readonly keys: readonly ExploredKey[];
  /** Resolves when nothing is under way any more. The store stays open. */
  stop(): Promise<void>;
}

interface ExploredKey extends KeyOfHash {
  readonly value: string;
}

/** Puts something between the service and its store. */
export type AlterCommit = (commit: ScanStore['commitScans']) => ScanStore['commitScans'];

/** Our own service with sample data on an engine, with the clock of the system. */
export async function startExploredService(
  engine: Engine,
  deviceRetryWindowMs = 0,
  alterCommit: AlterCommit = (commit) => commit,
): Promise<ExploredService> {
  const folder = mkdtempSync(join(tmpdir(), 'ticketscan-explore-'));
  const place = engine === 'postgres' ? await storeSchema() : undefined;
  const files = {
    memory: 'memory:',
    sqlite: `sqlite:${join(folder, 's.db')}`,
    json: `json:${join(folder, 's.json')}`,
  };
  const storeUrl = engine === 'postgres' ? (place?.url ?? '') : files[engine];
  const store = await openStore(storeUrl);
  const keyring = temporaryKeyring();
  const administration = new Administration(store, systemClock, randomBytes);
  const { keys, tickets } = await seed(
    { store, administration, keyring, clock: systemClock, random: randomBytes },
    { ticketsPerState: TICKETS_PER_STATE, limits: EXPLORED_LIMITS },
  );
  const service = new ScanService({
    store: withCommit(store, alterCommit),
    keyring: () => keyring,
    clock: systemClock,
    deviceRetryWindowMs,
  });
  const app = buildApp(
    {
      service,
      checkWritable: () => store.checkWritable(),
      log: keptLog('info').log,
      hardwareAlways200: false,
    },
    { requestTimeoutMs: 10_000, headersTimeoutMs: 10_000 },
    [],
  );
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  const target = { baseUrl: `http://127.0.0.1:${port}`, keys, tickets } as TargetInput;
  const stop = async () => {
    app.server.closeAllConnections();
    await app.close();
    await service.drained();
  };
  return {
    port,
    target,
    engine,
    storeUrl,
    store,
    keys: await keysOf(store, Object.values(keys)),
    stop,
    async [Symbol.asyncDispose]() {
      await stop();
      await store.close();
      await place?.remove();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function withCommit(store: Store, alter: AlterCommit) {
  const { batchesInFlight } = store;
  return {
    ...(batchesInFlight !== undefined && { batchesInFlight }),
    commitScans: alter((requests) => store.commitScans(requests)),
    findKeyByHash: (hash: string) => store.findKeyByHash(hash),
  };
}

async function keysOf(store: Store, values: readonly string[]): Promise<ExploredKey[]> {
  const byHash = new Map(values.map((value) => [hashApiKey(value), value]));
  const found = await store.findKeysByHash([...byHash.keys()]);
  return found.map((key) => ({ ...key, value: byHash.get(key.hash) ?? '' }));
}
