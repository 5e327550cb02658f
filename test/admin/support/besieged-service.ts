import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { createKeyring, readKeyring } from '../../../src/config/keyring-file.ts';
import { systemClock } from '../../../src/config/system-clock.ts';
import { DEFAULT_LIMITS } from '../../../src/core/limits.ts';
import { newTicket } from '../../../src/core/ticket-changes.ts';
import { makeTicketCode } from '../../../src/core/ticket-code.ts';
import { Passwords } from '../../../src/features/accounts/passwords.ts';
import { Accounts } from '../../../src/features/accounts/rules.ts';
import { COMMAND_LINE } from '../../../src/features/actor.ts';
import { Administration } from '../../../src/features/administration.ts';
import { openStore } from '../../../src/stores/open-store.ts';
import type { Store } from '../../../src/stores/store.ts';
import { AN_AUDIT_ENTRY } from '../../support/an-audit-entry.ts';
import { CliFolder, type RunningServe } from '../../support/cli.ts';
import { CHEAP_PASSWORDS } from '../../support/service.ts';
import { PASSWORD } from './client.ts';
import type { GateTask } from './gate-thread.ts';

const BATCH = 1000;
const GATE_TICKETS = 20;

export interface Sizes {
  readonly tickets: number;
  readonly entries: number;
}

/** The attacker's organisation: its owner is called Mallory. */
export interface Attacker {
  readonly organisationId: string;
  readonly eventId: string;
  readonly keyId: string;
  readonly ticketIds: readonly string[];
}

/** The built program on a large SQLite store of two organisations: one with a gate, one that attacks. */
export class BesiegedService implements AsyncDisposable {
  readonly url: string;
  readonly attacker: Attacker;
  readonly #folder: CliFolder;
  readonly #running: RunningServe;
  readonly #gate: Worker;

  private constructor(
    folder: CliFolder,
    running: RunningServe,
    { gate, attacker }: { gate: Worker; attacker: Attacker },
  ) {
    this.url = running.url;
    this.attacker = attacker;
    this.#folder = folder;
    this.#running = running;
    this.#gate = gate;
  }

  static async start(sizes: Sizes): Promise<BesiegedService> {
    const folder = new CliFolder();
    const store = await openStore(`sqlite:${join(folder.path, 'ticketscan.db')}`);
    const administration = new Administration(store, systemClock, randomBytes);
    const limits = { ...DEFAULT_LIMITS, ratePerSecond: 1e6, burst: 1e6, quotaPerMonth: 1e9 };
    const gate = await addGate(store, administration, folder.path, limits);
    const attacker = await addAttacker(store, administration, sizes);
    await store.close();
    const running = await folder.serve();
    const workerData: GateTask = { ...gate, url: running.url, restMs: 2 };
    const thread = new Worker(new URL('./gate-thread.ts', import.meta.url), { workerData });
    return new BesiegedService(folder, running, { gate: thread, attacker });
  }

  /** What the gate waited since it was last asked, in milliseconds, from the shortest to the longest. */
  async waits(): Promise<number[]> {
    this.#gate.postMessage('waits');
    const [{ waits, faults }] = await once(this.#gate, 'message');
    if (faults.length > 0) throw new Error(`the gate was answered: ${faults[0]}`);
    return (waits as number[]).toSorted((a, b) => a - b);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#gate.terminate();
    await this.#running.stop('SIGKILL');
    await this.#folder[Symbol.asyncDispose]();
  }
}

/** The value below which 99 of 100 are. */
export function p99(sorted: readonly number[]): number {
  return sorted[Math.ceil(sorted.length * 0.99) - 1] ?? 0;
}

async function addGate(
  store: Store,
  administration: Administration,
  folder: string,
  limits: typeof DEFAULT_LIMITS,
): Promise<Pick<GateTask, 'key' | 'codes'>> {
  const { id: organisation } = await administration.organisations.create('Lido', limits);
  const { id: eventId } = await administration.events.create('Pool', organisation);
  const gate = { name: 'Gate', type: 'api', events: 'all', organisation } as const;
  const { value: key } = await administration.keys.create(gate);
  const keyringPath = join(folder, 'ticketscan.keyring.json');
  createKeyring(keyringPath);
  const keyring = readKeyring(keyringPath);
  const tickets = Array.from({ length: GATE_TICKETS }, () =>
    newTicket({ kind: 'permanent', eventId }, Date.now(), randomBytes),
  );
  await store.insertTickets(tickets, AN_AUDIT_ENTRY);
  return { key, codes: tickets.map(({ id }) => makeTicketCode(id, keyring, 'TS1')) };
}

async function addAttacker(
  store: Store,
  administration: Administration,
  { tickets, entries }: Sizes,
): Promise<Attacker> {
  const { id: organisationId } = await administration.organisations.create('Mallory');
  const passwords = new Passwords(CHEAP_PASSWORDS);
  const deps = { store, clock: systemClock, random: randomBytes, passwords };
  const owner = { name: 'Mallory', role: 'owner', password: PASSWORD, organisationId } as const;
  await new Accounts(deps, COMMAND_LINE).create(owner);
  const { id: eventId } = await administration.events.create('Lake', organisationId);
  const door = { name: 'Door', type: 'hardware', events: 'all', organisation: organisationId };
  const { key } = await administration.keys.create({ ...door, type: 'hardware', events: 'all' });
  const ticketIds: string[] = [];
  while (ticketIds.length < tickets) {
    const some = Array.from({ length: BATCH }, (_, index) =>
      newTicket(
        { kind: 'single', eventId, firstName: `Ada ${index}`, lastName: 'Byron' },
        Date.now(),
        randomBytes,
      ),
    );
    await store.insertTickets(some, AN_AUDIT_ENTRY);
    ticketIds.push(...some.map(({ id }) => id));
  }
  await addEntries(store, key.id, entries);
  return { organisationId, eventId, keyId: key.id, ticketIds };
}

async function addEntries(store: Store, keyId: string, count: number): Promise<void> {
  const request = { kind: 'scan', keyId, operation: 'consume', reader: '0', retry: null } as const;
  const subject = { kind: 'unreadable' } as const;
  const yearMs = 365 * 24 * 60 * 60_000;
  for (let done = 0; done < count; done += BATCH) {
    const batch = Array.from({ length: BATCH }, (_, index) => ({
      ...request,
      subject,
      serial: `S-${index % 40}`,
      now: Math.floor(Date.now() - yearMs + (yearMs * (done + index)) / count),
    }));
    await store.commitScans(batch);
  }
}
