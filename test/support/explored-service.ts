import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TargetInput } from '../../src/check/index.ts';
import { temporaryKeyring } from '../../src/config/keyring-file.ts';
import { systemClock } from '../../src/config/system-clock.ts';
import { DEFAULT_LIMITS } from '../../src/core/limits.ts';
import { Administration } from '../../src/features/keys/administration.ts';
import { seed } from '../../src/features/seed/seed.ts';
import { buildApp } from '../../src/scan/http/app.ts';
import { ScanService } from '../../src/scan/scan-service.ts';
import { openStore } from '../../src/stores/open-store.ts';
import { keptLog } from './kept-log.ts';
import { storeSchema } from './postgres/store-schema.ts';
import type { Engine } from './stores.ts';

const TICKETS_PER_STATE = 40;
/** The explorer's own pace is not what these runs are about. */
export const NO_LIMITS = { rate: 1e6, burst: 1e6 };

export interface ExploredService extends AsyncDisposable {
  readonly port: number;
  readonly target: TargetInput;
}

/** Our own service with sample data on an engine, with the clock of the system. */
export async function startExploredService(
  engine: Engine,
  deviceRetryWindowMs = 0,
): Promise<ExploredService> {
  const folder = mkdtempSync(join(tmpdir(), 'ticketscan-explore-'));
  const place = engine === 'postgres' ? await storeSchema() : undefined;
  const files = {
    memory: 'memory:',
    sqlite: `sqlite:${join(folder, 's.db')}`,
    json: `json:${join(folder, 's.json')}`,
  };
  const store = await openStore(engine === 'postgres' ? (place?.url ?? '') : files[engine]);
  const keyring = temporaryKeyring();
  const administration = new Administration(store, systemClock, randomBytes);
  const limits = { ...DEFAULT_LIMITS, ratePerSecond: 1e6, burst: 1e6 };
  const { keys, tickets } = await seed(
    { store, administration, keyring, clock: systemClock, random: randomBytes },
    { ticketsPerState: TICKETS_PER_STATE, limits },
  );
  const service = new ScanService({
    store,
    keyring: () => keyring,
    clock: systemClock,
    deviceRetryWindowMs,
  });
  const app = buildApp(
    {
      service,
      checkWritable: () => store.checkWritable(),
      log: keptLog('debug').log,
      hardwareAlways200: false,
    },
    { requestTimeoutMs: 10_000, headersTimeoutMs: 10_000 },
    [],
  );
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  const target = { baseUrl: `http://127.0.0.1:${port}`, keys, tickets } as TargetInput;
  return {
    port,
    target,
    async [Symbol.asyncDispose]() {
      app.server.closeAllConnections();
      await app.close();
      await store.close();
      await place?.remove();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
