import { createPrivateKey, createPublicKey, createSecretKey } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { hashApiKey } from '../../../src/core/api-key.ts';
import { DEFAULT_LIMITS } from '../../../src/core/limits.ts';
import type { NewTicket, TicketHistory } from '../../../src/core/ticket.ts';
import type { Keyring } from '../../../src/core/ticket-code.ts';
import { buildApp } from '../../../src/scan/http/app.ts';
import { ScanService } from '../../../src/scan/scan-service.ts';
import { openStore } from '../../../src/stores/open-store.ts';
import type { Store } from '../../../src/stores/store.ts';
import { AN_AUDIT_ENTRY } from '../../support/an-audit-entry.ts';
import { TestClock } from '../../support/clock.ts';
import { keptLog } from '../../support/kept-log.ts';
import { deleteKey, editKey } from '../../support/records.ts';
import { type World, world } from './corpus.ts';

const DAY = 86_400_000;
const ORGANISATION = 'org_badinput1';
const PKCS8_OF_SEED = Buffer.from('302e020100300506032b657004220420', 'hex');

/** A real server on real sockets that holds the keys and tickets of which the corpus speaks. */
export class CorpusService implements AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly store: Store;
  readonly #logText: () => string;
  readonly #close: () => Promise<void>;

  private constructor(
    port: number,
    store: Store,
    logText: () => string,
    close: () => Promise<void>,
  ) {
    this.port = port;
    this.url = `http://127.0.0.1:${port}`;
    this.store = store;
    this.#logText = logText;
    this.#close = close;
  }

  /** @param uses that the good ticket allows */
  static async start({ timeoutMs = 10_000, uses = 1 } = {}): Promise<CorpusService> {
    const store = await openStore('memory:');
    const clock = new TestClock();
    await fill(store, clock.now(), uses);
    const keyring = keyringOf(world);
    const { log, text } = keptLog('trace');
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
        hardwareAlways200: false,
      },
      { requestTimeoutMs: timeoutMs, headersTimeoutMs: timeoutMs },
    );
    await app.listen({ port: 0, host: '127.0.0.1' });
    const { port } = app.server.address() as AddressInfo;
    return new CorpusService(port, store, text, async () => {
      app.server.closeAllConnections();
      await app.close();
      await store.close();
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

function keyringOf({ ts1Secret, ts2Seed }: World): Keyring {
  const hmac = createSecretKey(Buffer.from(ts1Secret, 'base64'));
  const der = Buffer.concat([PKCS8_OF_SEED, Buffer.from(ts2Seed, 'base64')]);
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
  await store.write({
    records: [
      {
        kind: 'organisation',
        before: null,
        after: { id: ORGANISATION, name: 'Bad input', limits, createdAt: now },
      },
    ],
    audit: [AN_AUDIT_ENTRY],
  });
  for (const id of Object.values(world.events))
    await store.write({
      records: [
        {
          kind: 'event',
          before: null,
          after: {
            id,
            organisationId: ORGANISATION,
            name: `Event ${id}`,
            createdAt: now,
            archivedAt: null,
          },
        },
      ],
      audit: [AN_AUDIT_ENTRY],
    });
  for (const [name, value] of Object.entries(world.keys)) {
    if (name.endsWith('Unknown')) continue;
    const id = `key_${name}`;
    const type = name.startsWith('api') ? 'api' : 'hardware';
    const events = name.endsWith('Scoped') ? [world.events.main] : 'all';
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
  return Object.entries(world.ticketIds)
    .filter(([name]) => !name.startsWith('unknown'))
    .map(([name, id]) => ({
      id,
      eventId: id.split('_')[1] ?? '',
      ticketType: 'single',
      usesAllowed: 1,
      holder: name === 'fresh' ? { firstName: 'Erika', lastName: 'Muster' } : null,
      validFrom: null,
      validUntil: null,
      createdAt: now - 2 * DAY,
      usesConsumed: 0,
      lastConsumedAt: null,
      cancelledAt: null,
      ...special[name],
    }));
}
