import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Gate, manyGates, overAfter, p50, p99, type TimedCall } from '../../lib/gates.ts';
import {
  loadFurtherEvent,
  loadTickets,
  type Running,
  startTicketscan,
  ticketscanIn,
} from '../../lib/servers.ts';
import type { Line } from '../line.ts';
import { ms } from './gate.ts';
import type { Measure } from './measure.ts';

const GATES = 100;
const EVERY_MS = 500;
const TICKETS = 10_000;
/** An hour at 20 scans a second. */
const ROWS = 72_000;
const AT_ONCE = 32;
const POLL_MS = 200;
const COPIED_A_SECOND = 1_000_000 / 120;
const LEVEL_SECONDS = 60;

/** What a site is for: its gates go on without a line, and its centre is level again soon after. */
export const sites: Measure = {
  name: 'sites',
  about:
    'gates of a site without a line, and while tickets are copied; how soon its centre is level',
  async run({ quick, large, folder }) {
    const tickets = quick ? 5000 : large ? 1_000_000 : 200_000;
    const rows = quick ? 2000 : ROWS;
    const plain = await served(join(folder, 'plain'));
    const centre = await centreWith(join(folder, 'centre'), tickets);
    const site = await siteOf(join(folder, 'site'), centre);
    const gates = { plain: gatesOf(plain), site: gatesOf(site) };
    const seconds = quick ? 1 : 4;
    for (const some of Object.values(gates)) await scan(some, seconds);

    // Before the copy: both stores are of one size.
    await centre.stop();
    const cut = await inTurns(gates, seconds, quick ? 1 : 8);
    await centre.start();
    await secondsUntilLevel(site);
    const quiet = await scan(gates.site, 2 * seconds);
    const copy = await whileCopied(gates.site, site, centre);
    await centre.stop();
    await scanAll(gates.site, rows);
    await centre.start();
    const level = await secondsUntilLevel(site);
    for (const some of Object.values(gates)) for (const { close } of some) close();
    await Promise.all([plain.stop(), centre.stop(), site.stop()]);
    return {
      title: 'A site (sites)',
      notes: [
        `100 gates, 2 scans a second each. The centre is stopped where the line is cut. Copied are ${tickets} tickets, and ${rows} rows wait at the site.`,
      ],
      lines: [
        comparison('sites/cut/p50', 'gates of a site without a line: p50', cut, p50),
        comparison('sites/cut/p99', 'gates of a site without a line: p99', cut, p99),
        {
          ...WALL_CLOCK,
          id: 'sites/copy/p99',
          what: 'gates of a site while tickets are copied: p99',
          against: 'without',
          figure: ms(p99(copy.times)),
          reference: ms(p99(quiet)),
          ratio: p99(copy.times) / p99(quiet),
          goal: { atMost: 3 },
        },
        within('sites/copy', `${tickets} tickets copied`, copy.seconds, tickets / COPIED_A_SECOND),
        within('sites/level', `${rows} rows at the centre`, level, LEVEL_SECONDS),
      ],
    };
  },
};

const WALL_CLOCK = { measures: 'wall clock' } as const;

function comparison(
  id: string,
  what: string,
  { site, plain }: Readonly<Record<'site' | 'plain', readonly number[]>>,
  figure: (times: readonly number[]) => number,
): Line {
  return {
    ...WALL_CLOCK,
    id,
    what,
    against: 'a server with no centre',
    figure: ms(figure(site)),
    reference: ms(figure(plain)),
    ratio: figure(site) / figure(plain),
    goal: { atMost: 1.05 },
  };
}

function within(id: string, what: string, seconds: number, allowed: number): Line {
  return {
    ...WALL_CLOCK,
    id,
    what,
    against: 'the time that it may take',
    figure: `${seconds.toFixed(1)} s`,
    reference: `${allowed.toFixed(1)} s`,
    ratio: seconds / allowed,
    goal: { atMost: 1 },
  };
}

/** A server whose gates scan, with a key and codes. */
interface Served extends Running {
  readonly folder: string;
  readonly key: string;
  readonly codes: readonly string[];
}

async function served(folder: string): Promise<Served> {
  mkdirSync(folder);
  const { key, codes } = await loadTickets(folder, TICKETS, 1000);
  return { folder, key, codes, ...(await startTicketscan(folder)) };
}

/** A centre with an event for the gates and a large one; it is stopped and started at one address. */
interface Centre {
  readonly folder: string;
  readonly key: string;
  readonly codes: readonly string[];
  readonly events: Readonly<Record<'small' | 'large', string>>;
  /** A code of the large event. */
  readonly largeCode: string;
  readonly url: string;
  start(): Promise<void>;
  stop(): Promise<void>;
}

async function centreWith(folder: string, tickets: number): Promise<Centre> {
  mkdirSync(folder);
  const small = await loadTickets(folder, TICKETS, 1000);
  const large = await loadFurtherEvent(folder, tickets);
  let running = await startTicketscan(folder);
  const { url } = running;
  return {
    folder,
    key: small.key,
    codes: small.codes,
    events: { small: small.event, large: large.event },
    largeCode: large.codes[0] ?? '',
    url,
    async start() {
      running = await startTicketscan(folder, undefined, ['--port', new URL(url).port]);
    },
    stop: () => running.stop(),
  };
}

/** A site that decides the small event of its centre. */
async function siteOf(folder: string, centre: Centre): Promise<Served> {
  mkdirSync(folder);
  const made = await ticketscanIn(centre.folder, 'sites', 'create', '--name', 'North');
  const token = join(folder, 'site.token');
  writeFileSync(token, (made as { token: string }).token);
  const place = ['--port', '0', '--centre', centre.url, '--site-token', `file:${token}`];
  // It would say that it has no line.
  const server = await startTicketscan(folder, undefined, [...place, '--log-level', 'error']);
  const site = { folder, key: centre.key, codes: centre.codes, ...server };
  await move(centre, 'small');
  await untilDecided(site, centre.codes[0] ?? '');
  return site;
}

function move({ folder, events }: Centre, which: 'small' | 'large'): Promise<unknown> {
  return ticketscanIn(folder, 'events', 'move', events[which], '--to', 'North');
}

/** Waits until the site lets in a ticket of the event: before, it answers that the event is elsewhere. */
async function untilDecided({ url, key }: Served, ticketCode: string): Promise<void> {
  for (;;) {
    const answer = await fetch(`${url}/scan/validate`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify({ ticketCode }),
    });
    await answer.arrayBuffer();
    if (answer.status === 200) return;
    await wait(POLL_MS);
  }
}

interface OpenGate {
  readonly call: TimedCall;
  readonly close: () => void;
}

function gatesOf({ url, key, codes }: Served): readonly OpenGate[] {
  let next = 0;
  return Array.from({ length: GATES }, () => {
    const gate = new Gate(url, key);
    const call = () => {
      next = (next + 1) % codes.length;
      return gate.consume(codes[next]!);
    };
    return { call, close: () => gate.close() };
  });
}

function scan(gates: readonly OpenGate[], seconds: number): Promise<number[]> {
  return manyGates(
    gates.map(({ call }) => call),
    EVERY_MS,
    overAfter(seconds),
  );
}

async function whileCopied(gates: readonly OpenGate[], site: Served, centre: Centre) {
  let isOver = false;
  const startedAt = performance.now();
  const copied = move(centre, 'large')
    .then(() => untilDecided(site, centre.largeCode))
    .then(() => (performance.now() - startedAt) / 1000)
    .finally(() => {
      isOver = true;
    });
  const calls = gates.map(({ call }) => call);
  const [times, seconds] = await Promise.all([manyGates(calls, EVERY_MS, () => isOver), copied]);
  return { times, seconds };
}

/** One after the other, so that both meet the same machine. */
async function inTurns(
  gates: Readonly<Record<'plain' | 'site', readonly OpenGate[]>>,
  seconds: number,
  rounds: number,
) {
  const times = { plain: [] as number[], site: [] as number[] };
  for (let round = 0; round < rounds; round += 1)
    for (const name of ['plain', 'site'] as const)
      times[name].push(...(await scan(gates[name], seconds)));
  return times;
}

/** Scans as fast as the server answers. */
async function scanAll(gates: readonly OpenGate[], count: number): Promise<void> {
  let left = count;
  await Promise.all(
    gates.slice(0, AT_ONCE).map(async ({ call }) => {
      while (left > 0) {
        left -= 1;
        await call();
      }
    }),
  );
}

async function secondsUntilLevel({ folder }: Served): Promise<number> {
  const startedAt = performance.now();
  for (;;) {
    const { waiting } = (await ticketscanIn(folder, 'sites', 'status')) as { waiting: number };
    if (waiting === 0) return (performance.now() - startedAt) / 1000;
    await wait(POLL_MS);
  }
}
