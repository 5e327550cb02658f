import { createPrivateKey, createPublicKey, createSecretKey } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { hashApiKey } from '../../../src/core/api-key.ts';
import { DEFAULT_LIMITS } from '../../../src/core/limits.ts';
import type { NewTicket, TicketHistory } from '../../../src/core/ticket.ts';
import type { Keyring } from '../../../src/core/ticket-code.ts';
import { buildApp, type HttpApp } from '../../../src/scan/http/app.ts';
import { ScanService } from '../../../src/scan/scan-service.ts';
import { openStore } from '../../../src/stores/open-store.ts';
import type { Store } from '../../../src/stores/store.ts';
import { AN_AUDIT_ENTRY } from '../../support/an-audit-entry.ts';
import { TestClock } from '../../support/clock.ts';
import {
  EVENTS,
  KEYS,
  PKCS8_OF_SEED,
  TICKET_IDS,
  TS1_SECRET,
  TS2_SEED,
} from '../../support/fixed-world.ts';
import { keptLog } from '../../support/kept-log.ts';
import { deleteKey, editKey } from '../../support/records.ts';

const DAY = 86_400_000;
const ORGANISATION = 'org_badinput1';

/** Who reads the requests: the service itself, as far as they are plain, or Node, as when each one is logged. */
export type Reading = 'plain' | 'node';

interface WireServiceOptions {
  readonly reads?: Reading;
  readonly timeoutMs?: number;
  /** That the good ticket allows. */
  readonly uses?: number;
  /** Another server's; without it, an own one. */
  readonly store?: Store;
  readonly hardwareAlways200?: boolean;
  readonly tls?: { readonly cert: string; readonly key: string };
}

/** A real server on real sockets that holds the keys and tickets of the fixed world. */
export class WireService implements AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly store: Store;
  readonly app: HttpApp;
  readonly #logText: () => string;
  readonly #close: () => Promise<void>;

  private constructor(
    port: number,
    store: Store,
    app: HttpApp,
    logText: () => string,
    close: () => Promise<void>,
  ) {
    this.port = port;
    this.url = `http://127.0.0.1:${port}`;
    this.store = store;
    this.app = app;
    this.#logText = logText;
    this.#close = close;
  }

  static async start(options: WireServiceOptions = {}): Promise<WireService> {
    const { reads = 'node', timeoutMs = 10_000, uses = 1, tls } = options;
    const store = options.store ?? (await openStore('memory:'));
    const clock = new TestClock();
    if (!options.store) await fill(store, clock.now(), uses);
    const keyring = keyringOf();
    const { log, text } = keptLog(reads === 'plain' ? 'info' : 'trace');
    const service = new ScanService({
      store,
      keyring: () => keyring,
      clock,
      deviceRetryWindowMs: 0,
    });
    const app = buildApp(
      {
        service,
        checkWritable: () => store.checkWritable(),
        log,
        hardwareAlways200: options.hardwareAlways200 ?? false,
      },
      { requestTimeoutMs: timeoutMs, headersTimeoutMs: timeoutMs, ...(tls && { tls }) },
    );
    await app.listen({ port: 0, host: '127.0.0.1' });
    const { port } = app.server.address() as AddressInfo;
    return new WireService(port, store, app, text, async () => {
      app.server.closeAllConnections();
      await app.close();
      if (!options.store) await store.close();
    });
  }

  get logs(): string {
    return this.#logText();
  }

  /** Everything that a request could change, but for the log of scans. */
  async state(): Promise<string> {
    const [tickets, keys, events, organisations, audit] = await Promise.all([
      this.store.listTickets({ limit: 1000 }),
      this.store.list('key'),
      this.store.list('event'),
      this.store.list('organisation'),
      this.store.verify(),
    ]);
    return JSON.stringify({ tickets, keys, events, organisations, problems: audit.problems });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#close();
  }
}

function keyringOf(): Keyring {
  const hmac = createSecretKey(TS1_SECRET);
  const der = Buffer.concat([PKCS8_OF_SEED, TS2_SEED]);
  const signingKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  return [
    { id: 'one', format: 'TS1', state: 'active', signingKey: hmac, verifyingKey: hmac },
    {
      id: 'two',
      format: 'TS2',
      state: 'active',
      signingKey,
      verifyingKey: createPublicKey(signingKey),
    },
  ];
}

async function fill(store: Store, now: number, uses: number): Promise<void> {
  const limits = {
    ...DEFAULT_LIMITS,
    ratePerSecond: 1e6,
    burst: 1e6,
    keysMax: 20,
    quotaPerMonth: 1e9,
  };
  const organisation = { id: ORGANISATION, name: 'Bad input', limits, createdAt: now };
  const events = Object.values(EVENTS).map((id) => ({
    kind: 'event' as const,
    before: null,
    after: {
      id,
      organisationId: ORGANISATION,
      name: `Event ${id}`,
      createdAt: now,
      archivedAt: null,
    },
  }));
  await store.write({
    records: [{ kind: 'organisation', before: null, after: organisation }, ...events],
    audit: [AN_AUDIT_ENTRY],
  });
  for (const [name, value] of Object.entries(KEYS)) {
    if (name.endsWith('Unknown')) continue;
    const id = `key_${name}`;
    const type = name.startsWith('api') ? 'api' : 'hardware';
    const events = name.endsWith('Scoped') ? [EVENTS.main] : 'all';
    const record = {
      id,
      organisationId: ORGANISATION,
      name,
      type,
      events,
      active: true,
      createdAt: now,
      relay: 'auto',
      openSeconds: 5,
    } as const;
    await store.write({
      records: [{ kind: 'key', before: null, after: record, hash: hashApiKey(value) }],
      audit: [AN_AUDIT_ENTRY],
    });
    if (name.endsWith('Disabled')) await editKey(store, id, { active: false }, AN_AUDIT_ENTRY);
    if (name.endsWith('Deleted')) await deleteKey(store, id, now, AN_AUDIT_ENTRY);
  }
  await store.insertTickets(ticketsOf(now, uses), AN_AUDIT_ENTRY);
}

function ticketsOf(now: number, uses: number): (NewTicket & Partial<TicketHistory>)[] {
  const special: Record<string, Partial<NewTicket & TicketHistory>> = {
    fresh: { usesAllowed: uses, ticketType: uses === 1 ? 'single' : 'multi' },
    exhausted: { usesConsumed: 1, lastConsumedAt: now - DAY },
    cancelled: { cancelledAt: now - DAY },
    notYetValid: { validFrom: now + DAY },
    expired: { validUntil: now - DAY },
  };
  return Object.entries(TICKET_IDS)
    .filter(([name]) => !name.startsWith('unknown'))
    .map(([name, id]) => ({
      id,
      eventId: id.split('_')[1] ?? '',
      ticketType: 'single',
      usesAllowed: 1,
      holder: name.startsWith('fresh') ? { firstName: 'Erika', lastName: 'Muster' } : null,
      validFrom: null,
      validUntil: null,
      createdAt: now - 2 * DAY,
      usesConsumed: 0,
      lastConsumedAt: null,
      cancelledAt: null,
      ...special[name],
    }));
}
