import { randomBytes } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { ScanClient } from '../../client/scan-client.ts';
import { systemClock } from '../../config/system-clock.ts';
import type { EventRecord } from '../../core/records.ts';
import { makeTicketCode } from '../../core/ticket-code.ts';
import { COMMAND_LINE } from '../../features/actor.ts';
import { Administration } from '../../features/administration.ts';
import { SiteAgent } from '../../features/sites/agent.ts';
import { SiteRules } from '../../features/sites/rules.ts';
import { keyringPath, openKeyring } from '../../features/store/opening.ts';
import { TicketAdministration } from '../../features/tickets/rules.ts';
import { counted } from '../../kit/text.ts';
import { firstSignIn } from '../../serve/announce.ts';
import { type RunningServer, runServer } from '../../serve/run-server.ts';
import { openStore } from '../../stores/open-store.ts';
import type { Store } from '../../stores/store.ts';
import { type CliIo, stopped } from '../../terminal/io.ts';
import { CutLine } from './cut-line.ts';
import { becomes, painter, settingsWith, show } from './demo-screen.ts';

interface Options {
  readonly port?: string;
  readonly once?: boolean;
}

const EVENT = 'Summer pool';
const SITE = 'Pool North';
const USES = 9;
const WAIT_MS = 30_000;
const SCAN_MS = 2000;

/** One server with its store. */
interface Served {
  readonly url: string;
  readonly store: Store;
  readonly server: RunningServer;
}

/** `ticketscan demo --sites`: a centre gives an event to a site, the line is cut, the gates go on, and at the end all numbers agree. */
export async function demoOfSites(io: CliIo, { port = '0', once }: Options): Promise<void> {
  const stop = io.stopSignal();
  const folder = await mkdtemp(join(tmpdir(), 'ticketscan-sites-'));
  const ends: (() => Promise<unknown>)[] = [];
  try {
    const paint = painter(io);
    const screen = { io, paint };
    const centre = await serveCentre(io, folder, port, ends);
    show(screen, 'A centre', [`${centre.url}, its store in ${folder}`]);
    const { event, code, key, token } = await fillCentre(centre.store, folder);
    const line = await CutLine.to(new URL(centre.url));
    ends.push(() => line.close());
    const site = await serveSite(io, folder, { line, token }, ends);
    show(screen, `A site, "${SITE}": it calls the centre`, [site.url]);
    const gates = await gatesOf({ centre, site, key, code }, ends);
    const isRight = await play({ screen, centre, site, line, event, gates });
    io.exit(isRight ? 0 : 1);
    if (!isRight) io.err('The demo failed; please report this.');
    if (once) return;
    await whereToGoNext(screen, centre, folder);
    await stopped(stop);
  } finally {
    for (const end of ends.reverse()) await end();
  }
}

interface Gate {
  /** Takes a use. @returns what the gate shows */
  scan(): Promise<string>;
}

interface Play {
  readonly screen: Parameters<typeof show>[0];
  readonly centre: Served;
  readonly site: Served;
  readonly line: CutLine;
  readonly event: EventRecord;
  readonly gates: { readonly centre: Gate; readonly site: Gate };
}

/** @returns true if the numbers agree at the end */
async function play({ screen, centre, site, line, event, gates }: Play): Promise<boolean> {
  const rules = rulesOn(centre.store);
  const decidedAt = async (at: 'centre' | 'away') =>
    ((await homesOf(rules)).get(event.id) ?? 'centre') === at;
  show(screen, `The event "${EVENT}" at the centre: one card with ${USES} uses`, [
    `gate at the centre   ${await gates.centre.scan()}`,
    `gate at the site     ${await gates.site.scan()}`,
  ]);
  await rules.giveTo(event, await rules.find(SITE));
  const isThere = await becomes(() => decidedAt('away'), WAIT_MS);
  show(screen, `events move "${EVENT}" --to "${SITE}"`, [
    `gate at the site     ${await gates.site.scan()}`,
    `gate at the centre   ${await gates.centre.scan()}`,
  ]);
  line.cut();
  show(screen, 'The line is cut: the gates at the site go on', [
    `gate at the site     ${await gates.site.scan()}`,
    `gate at the site     ${await gates.site.scan()}`,
    `the centre knows     ${await usesIn(centre.store, event)} of them`,
  ]);
  line.mend();
  const isLevel = await becomes(
    async () => (await usesIn(centre.store, event)) === (await usesIn(site.store, event)),
    WAIT_MS,
  );
  show(screen, 'The line comes back: the centre hears of everything, once', [
    `taken at the site    ${await usesIn(site.store, event)}`,
    `known at the centre  ${await usesIn(centre.store, event)}`,
  ]);
  await rules.askBack(event);
  const isHome = await becomes(() => decidedAt('centre'), WAIT_MS);
  show(screen, `events move "${EVENT}" --to centre`, [
    `gate at the centre   ${await gates.centre.scan()}`,
    `gate at the site     ${await gates.site.scan()}`,
  ]);
  const sound = await Promise.all([centre, site].map(({ store }) => store.verify()));
  const problems = sound.flatMap((report) => report.problems);
  const uses = await usesIn(centre.store, event);
  show(screen, 'The numbers agree', [
    `${counted(uses, 'use')} of ${USES} taken; ${counted(problems.length, 'problem')} in both stores`,
  ]);
  return isThere && isLevel && isHome && problems.length === 0 && uses === USES_TAKEN;
}

/** The scans above that were granted. */
const USES_TAKEN = 5;

function rulesOn(store: Store): SiteRules {
  return new SiteRules({ store, clock: systemClock, random: randomBytes, actor: COMMAND_LINE });
}

async function homesOf(rules: SiteRules): Promise<Map<string, string>> {
  const there = await rules.eventsAt(await rules.find(SITE));
  return new Map(there.map(({ event, home }) => [event.id, home.at]));
}

async function usesIn(store: Store, { id: eventId }: EventRecord): Promise<number> {
  const tickets = await store.listTickets({ eventId, limit: 10 });
  return tickets.reduce((sum, { usesConsumed }) => sum + usesConsumed, 0);
}

async function serveCentre(
  io: CliIo,
  folder: string,
  port: string,
  ends: (() => Promise<unknown>)[],
): Promise<Served> {
  const storeUrl = `sqlite:${join(folder, 'centre.db')}`;
  const store = await openStore(storeUrl);
  ends.push(() => store.close());
  const path = keyringPath(storeUrl, undefined);
  await openKeyring(store, path);
  const settings = { ...settingsWith(port), store: storeUrl };
  const server = await runServer(store, path, settings, io.stderr);
  ends.push(() => server.close());
  return { url: server.url, store, server };
}

/** Makes an event with one card, a key for gates, and the site. */
async function fillCentre(store: Store, folder: string) {
  const parts = [store, systemClock, randomBytes] as const;
  const administration = new Administration(...parts);
  const event = await administration.events.create(EVENT);
  const tickets = new TicketAdministration(...parts, COMMAND_LINE);
  const [{ id = '' } = {}] = await tickets.create(event, { kind: 'multi', uses: USES }, 1);
  const keyring = await openKeyring(store, keyringPath(`sqlite:${join(folder, 'x')}`, undefined));
  const { value: key } = await administration.keys.create({
    name: 'Gate',
    type: 'api',
    events: 'all',
    organisation: event.organisationId,
  });
  const { token } = await rulesOn(store).create(event.organisationId, SITE, false);
  return { event, code: makeTicketCode(id, keyring, 'TS2'), key, token };
}

async function serveSite(
  io: CliIo,
  folder: string,
  { line, token }: { readonly line: CutLine; readonly token: string },
  ends: (() => Promise<unknown>)[],
): Promise<Served> {
  const storeUrl = `sqlite:${join(folder, 'site.db')}`;
  const store = await openStore(storeUrl);
  ends.push(() => store.close());
  const log = pino({ level: 'silent' });
  const agent = new SiteAgent({ store, clock: systemClock, log }, { url: line.url, token });
  await agent.begin();
  const settings = { ...settingsWith('0'), store: storeUrl, site: agent };
  const server = await runServer(store, undefined, { ...settings, logLevel: 'silent' }, io.stderr);
  ends.push(() => server.close());
  agent.start();
  ends.push(() => agent.close());
  return { url: server.url, store, server };
}

interface GateParts {
  readonly centre: Served;
  readonly site: Served;
  readonly key: string;
  readonly code: string;
}

async function gatesOf({ centre, site, key, code }: GateParts, ends: (() => Promise<unknown>)[]) {
  const gateAt = ({ url }: Served): Gate => {
    const client = new ScanClient({ baseUrl: url, apiKey: key, totalTimeoutMs: SCAN_MS });
    ends.push(async () => client[Symbol.asyncDispose]());
    return {
      scan: async () => {
        try {
          const result = await client.consume(code);
          if (result.valid) return `OPEN: use ${result.usesConsumed} of ${result.usesAllowed}`;
          return `closed: ${result.status}`;
        } catch {
          return 'closed: it cannot be decided here';
        }
      },
    };
  };
  return { centre: gateAt(centre), site: gateAt(site) };
}

async function whereToGoNext(
  screen: Play['screen'],
  { url, store }: Served,
  folder: string,
): Promise<void> {
  const storeUrl = `sqlite:${join(folder, 'centre.db')}`;
  const first = await firstSignIn(screen.io, store, storeUrl);
  show(screen, 'Both servers keep running: look at the sites of the centre', [
    `${url}/`,
    ...(first ? [`name ${first.name}, password ${first.password}`] : []),
    '',
    `npx ticketscan sites list --store ${storeUrl}`,
    `npx ticketscan log --store ${storeUrl}`,
    'npx ticketscan docs sites      to do the same with your own servers',
  ]);
}
