import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { onTestFinished } from 'vitest';
import { loadSettings } from '../../../src/config/load-settings.ts';
import { SERVER_SETTINGS } from '../../../src/config/settings.ts';
import { systemClock } from '../../../src/config/system-clock.ts';
import { DEFAULT_LIMITS } from '../../../src/core/limits.ts';
import { Administration } from '../../../src/features/administration.ts';
import { allRefusals } from '../../../src/features/log/operations.ts';
import { seed } from '../../../src/features/seed/rules.ts';
import { openKeyring } from '../../../src/features/store/opening.ts';
import { runServer } from '../../../src/serve/run-server.ts';
import { openStore } from '../../../src/stores/open-store.ts';
import { temporaryFolder } from '../../check/support/files.ts';

/** One server, and what it says of its refusals. */
export interface Served {
  readonly port: number;
  readonly metricsPort: number;
  readonly key: string;
  readonly hardwareKey: string;
  readonly metrics: () => Promise<string>;
  readonly log: () => string;
  /** Stops it. @returns the reasons that its store counts */
  readonly stop: () => Promise<ReadonlySet<string>>;
}

const TOKEN = 'a-token-that-nobody-guesses';

export async function serve(flags: Record<string, string | boolean>): Promise<Served> {
  const folder = temporaryFolder();
  const store = await openStore('memory:');
  const keyring = join(folder, 'keyring.json');
  writeFileSync(join(folder, 'token'), `${TOKEN}\n`, { mode: 0o600 });
  const seeded = await seed(
    {
      store,
      administration: new Administration(store, systemClock, randomBytes),
      keyring: await openKeyring(store, keyring),
      clock: systemClock,
      random: randomBytes,
    },
    { ticketsPerState: 1, limits: DEFAULT_LIMITS },
  );
  const timeouts = { requestTimeoutMs: '1000', headersTimeoutMs: '1000' };
  const sources = {
    flags: {
      ...timeouts,
      port: '0',
      metrics: '127.0.0.1:0',
      metricsTokenFile: join(folder, 'token'),
      ...flags,
    },
    environment: {},
    configFile: undefined,
  };
  const settings = { ...loadSettings(SERVER_SETTINGS, sources), store: 'memory:' };
  let log = '';
  const sink = new PassThrough().on('data', (bytes) => {
    log += bytes;
  });
  const server = await runServer(store, keyring, settings, sink);
  let stopped: Promise<void> | undefined;
  const close = () => (stopped ??= server.close());
  onTestFinished(async () => {
    await close();
    await store.close();
  });
  const authorization = `Bearer ${TOKEN}`;
  return {
    port: Number(new URL(server.url).port),
    metricsPort: Number(new URL(server.metricsUrl ?? '').port),
    key: seeded.keys['rest'] ?? '',
    hardwareKey: seeded.keys['hardware'] ?? '',
    log: () => log,
    metrics: async () =>
      (await fetch(server.metricsUrl ?? '', { headers: { authorization } })).text(),
    stop: async () => {
      await close();
      const { rows } = await allRefusals(store, Date.now());
      return new Set(rows.map(({ reason }) => reason));
    },
  };
}

export function open(port: number): Socket {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  onTestFinished(() => void socket.destroy());
  return socket.on('error', () => undefined).resume();
}

export const metricOf = (reason: string) => `ticketscan_refused_requests_total{reason="${reason}"}`;
