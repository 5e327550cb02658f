import { execFile } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { createKeyring, readKeyring } from '../../../src/config/keyring-file.ts';
import { makeTicketCode } from '../../../src/core/ticket-code.ts';
import { openStore } from '../../../src/stores/open-store.ts';
import { Gate, manyGates, p99, type TimedCall } from '../../lib/gates.ts';
import { fill, makeOwner } from '../../lib/long-day.ts';
import { loadTickets, startTicketscan } from '../../lib/servers.ts';
import { signedIn } from '../../lib/signed-in.ts';
import type { Line } from '../line.ts';
import { ms } from './gate.ts';
import type { Measure } from './measure.ts';

const GATES = 100;
const EVERY_MS = 500;
const TICKETS = 100_000;
/** More often than the page asks, so that a short measurement meets it. */
const PAGE_EVERY_MS = 1000;

/** What an administrator does while guests come in must not keep them waiting. */
export const works: Measure = {
  name: 'works',
  about:
    'the same 100 gates while a backup, a prune, an import, a PDF and a statistics page are under way',
  async run({ quick, folder }) {
    const place = await prepare(folder, quick);
    const least = quick ? 1 : 5;
    const { gates, begin } = place;
    await scanUntil(gates, wait(least * 1000));
    const quiet: number[] = [];
    const disturbed: { name: WorkName | 'all of them'; times: readonly number[] }[] = [];
    for (const name of WORK_NAMES) {
      quiet.push(...(await scanUntil(gates, wait(least * 1000))));
      disturbed.push({ name, times: await scanUntil(gates, begin(name, least)) });
    }
    const all = Promise.all(WORK_NAMES.map((name) => begin(name, least)));
    disturbed.push({ name: 'all of them', times: await scanUntil(gates, all) });
    await place.stop();
    return {
      title: 'What else goes on meanwhile (works)',
      notes: [
        `100 gates, 2 scans a second each, on SQLite with ${TICKETS} tickets; p99 with each work under way and with all, against p99 without, in turns.`,
      ],
      lines: disturbed.map(({ name, times }) => lineOf(name, times, quiet)),
    };
  },
};

const WORKS = {
  backup: 'store backup',
  prune: 'log prune',
  import: 'tickets import of 100,000',
  sheet: 'a sheet.pdf, one after another',
  page: 'an open statistics page',
} as const;
type WorkName = keyof typeof WORKS;
const WORK_NAMES = Object.keys(WORKS) as WorkName[];

function lineOf(
  name: WorkName | 'all of them',
  times: readonly number[],
  quiet: readonly number[],
): Line {
  return {
    id: `works/${name}`,
    what: `p99 during ${name === 'all of them' ? name : WORKS[name]}`,
    against: 'without',
    figure: ms(p99(times)),
    reference: ms(p99(quiet)),
    ratio: p99(times) / p99(quiet),
    goal: { atMost: 3 },
    measures: 'wall clock',
  };
}

async function prepare(parent: string, quick: boolean) {
  const folder = mkdtempSync(join(parent, 'works-'));
  const lists = [await exportedList(folder), await exportedList(folder)];
  const database = join(folder, 'ticketscan.db');
  const keyringFile = join(folder, 'ticketscan.keyring.json');
  createKeyring(keyringFile);
  const store = await openStore(`sqlite:${database}`);
  const { tickets, apiKey } = await fill(store, TICKETS, quick ? 20_000 : 200_000);
  const account = await makeOwner(store);
  await store.close();
  const server = await startTicketscan(folder);
  const read = await signedIn({ url: server.url, account });
  const keyring = readKeyring(keyringFile);
  const codes = tickets.slice(100, 5100).map(({ id }) => makeTicketCode(id, keyring, 'TS1'));
  let next = 0;
  const clients = Array.from({ length: GATES }, () => new Gate(server.url, apiKey));
  const gates = clients.map(
    (client): TimedCall =>
      () => {
        next = (next + 1) % codes.length;
        return client.consume(codes[next]!);
      },
  );
  const own = ['--store', `sqlite:${database}`];
  // Each prune takes what is older than it is: two of them remove something.
  let hours = 8;
  const command: Record<WorkName, () => Promise<unknown>> = {
    backup: () => ticketscan('store', 'backup', join(folder, `backup-${Date.now()}.db`), ...own),
    prune: () => {
      hours -= 3;
      const before = new Date(Date.now() - hours * 3_600_000).toISOString();
      return ticketscan('log', 'prune', '--before', before, '--yes', ...own);
    },
    import: () => ticketscan('tickets', 'import', lists.shift() ?? '', '--create-events', ...own),
    sheet: () => read(`/tickets/${tickets[200]!.id}/sheet.pdf`),
    page: async () => {
      await read('/statistics/scans?by=hour');
      await wait(PAGE_EVERY_MS);
    },
  };
  const repeats = new Set<WorkName>(['backup', 'sheet', 'page']);
  return {
    gates,
    begin: async (name: WorkName, seconds: number) => {
      const endAt = performance.now() + seconds * 1000;
      do await command[name]();
      while (repeats.has(name) && performance.now() < endAt);
    },
    stop: () => {
      for (const client of clients) client.close();
      return server.stop();
    },
  };
}

/** @returns a file as `tickets import` takes it */
async function exportedList(parent: string): Promise<string> {
  const folder = mkdtempSync(join(parent, 'list-'));
  await loadTickets(folder, TICKETS, 1);
  const list = join(folder, 'tickets.csv');
  const store = `sqlite:${join(folder, 'ticketscan.db')}`;
  await ticketscan('tickets', 'export', '--out', list, '--store', store);
  return list;
}

function ticketscan(...args: string[]) {
  return promisify(execFile)(process.execPath, ['bin/ticketscan.js', ...args]);
}

async function scanUntil(gates: readonly TimedCall[], work: Promise<unknown>): Promise<number[]> {
  let isOver = false;
  const ended = work.finally(() => {
    isOver = true;
  });
  const [times] = await Promise.all([manyGates(gates, EVERY_MS, () => isOver), ended]);
  return times;
}
