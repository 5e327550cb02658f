import { randomBytes } from 'node:crypto';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ChalkInstance } from 'chalk';
import { Command } from 'commander';
import { check } from '../../check/index.ts';
import { systemClock } from '../../config/system-clock.ts';
import { TicketscanError } from '../../core/errors.ts';
import { DEFAULT_LIMITS } from '../../core/limits.ts';
import { type Keyring, makeTicketCode } from '../../core/ticket-code.ts';
import { COMMAND_LINE } from '../../features/actor.ts';
import { Administration } from '../../features/administration.ts';
import { type Seeded, seed } from '../../features/seed/rules.ts';
import { keyringPath, openKeyring, openOrMakeStore } from '../../features/store/opening.ts';
import { TicketAdministration } from '../../features/tickets/rules.ts';
import { padded } from '../../kit/display-width.ts';
import { counted } from '../../kit/text.ts';
import { firstSignIn } from '../../serve/announce.ts';
import { type RunningServer, runServer } from '../../serve/run-server.ts';
import { Device } from '../../simulate/index.ts';
import type { Store } from '../../stores/store.ts';
import { type CliIo, stopped } from '../../terminal/io.ts';
import { renderQr } from '../../tickets/codes/render-qr.ts';
import { becomes, painter, settingsWith, show } from './demo-screen.ts';

const EXAMPLES = `
Examples:
  ticketscan demo                on port 8080 where it is free, until Ctrl-C
  ticketscan demo --once         ends after the run
  ticketscan demo --port 9000
  ticketscan demo --sites        a centre, a site, a line that is cut, and gates that go on

Everything is real: the store, the images, the turnstile's requests, the check. The data is in a temporary folder, which the first
and the last line name. Continue with it by ticketscan serve, or delete it.`;

/** `ticketscan demo`: makes sample data, opens a door with a ticket, then runs a server to try things on. */
export function command(io: CliIo): Command {
  return new Command('demo')
    .description(
      'Sample data, a server with its dashboard, tickets as QR images, a turnstile that reads one and opens.',
    )
    .option('--port <number>', `TCP port (default: ${PORT}, or a free one if it is in use)`)
    .option('--once', 'end after the run instead of serving')
    .option('--sites', 'a centre and a site instead, with a line between them that is cut')
    .addHelpText('after', EXAMPLES)
    .action(async (options: DemoOptions) => {
      if (!options.sites) return runDemo(io, options);
      const { demoOfSites } = await import('./demo-sites.ts');
      return demoOfSites(io, options);
    });
}

/** The default port of `serve`, so that its help about addresses applies here too. */
const PORT = '8080';
const TICKETS_PER_STATE = 40;
/** The check sends requests faster than a gate would. */
const LIMITS = { ...DEFAULT_LIMITS, ratePerSecond: 1000, burst: 2000 };
const CHECK_RATE = 500;
/** The time that the turnstile reads: slow enough to watch on a terminal, almost none elsewhere. */
const READ_MS = { terminal: 600, pipe: 10 };
/** How long the turnstile shows a refusal. */
const DENIED_MS = 20;
const ONLINE_WITHIN_MS = 3000;

interface DemoOptions {
  readonly port?: string;
  readonly once?: boolean;
  readonly sites?: boolean;
}

/** The data that the steps share. */
interface Demo {
  readonly io: CliIo;
  readonly store: Store;
  readonly storeUrl: string;
  readonly folder: string;
  readonly paint: ChalkInstance;
  readonly keyring: Keyring;
  readonly seeded: Seeded;
  readonly server: RunningServer;
}

async function runDemo(io: CliIo, { port, once }: DemoOptions): Promise<void> {
  const stop = io.stopSignal();
  // This refuses a wrong port before anything is made.
  settingsWith(port ?? PORT);
  const folder = await mkdtemp(join(tmpdir(), 'ticketscan-demo-'));
  const storeUrl = `sqlite:${join(folder, 'ticketscan.db')}`;
  const store = await openOrMakeStore(io, storeUrl);
  try {
    const path = keyringPath(storeUrl, undefined);
    const keyring = await openKeyring(store, path, io);
    const administration = new Administration(store, systemClock, randomBytes);
    const deps = { store, administration, keyring, clock: systemClock, random: randomBytes };
    const seeded = await seed(deps, { ticketsPerState: TICKETS_PER_STATE, limits: LIMITS });
    const serveOn = (wanted: string) =>
      runServer(store, path, { ...settingsWith(wanted), store: storeUrl }, io.stderr);
    const server = await (port === undefined
      ? serveOn(PORT).catch(() => serveOn('0'))
      : serveOn(port));
    try {
      const paint = painter(io);
      const demo = { io, store, storeUrl, folder, paint, keyring, seeded, server };
      show(demo, 'Serving', [`${server.url}, data in ${folder}`]);
      io.exit((await succeeds(demo)) ? 0 : 1);
      if (once) return;
      await whereToGoNext(demo);
      await stopped(stop);
    } finally {
      await server.close();
    }
  } finally {
    await store.close();
  }
}

/** True when every door did what it should, and the check found nothing. */
async function succeeds(demo: Demo): Promise<boolean> {
  const doorsRight = await atTheTurnstile(demo, await mint(demo));
  const conforms = await checkServer(demo);
  if (!doorsRight || !conforms) demo.io.err('The demo failed; please report this.');
  return doorsRight && conforms;
}

interface DemoTicket {
  readonly what: string;
  readonly image: string;
}

async function mint(demo: Demo): Promise<DemoTicket[]> {
  const { store, folder, keyring } = demo;
  const parts = [store, systemClock, randomBytes] as const;
  const event = await new Administration(...parts).events.find(demo.seeded.events.main);
  const tickets = new TicketAdministration(...parts, COMMAND_LINE);
  const samples = [
    { what: 'single ticket', kind: 'single' },
    { what: 'ten-use card', kind: 'multi', uses: 10 },
    { what: 'personal ticket', kind: 'single', firstName: 'Ada', lastName: 'Lovelace' },
  ] as const;
  const minted: (DemoTicket & { readonly code: string })[] = [];
  for (const { what, ...options } of samples) {
    const [{ id = '' } = {}] = await tickets.create(event, options, 1);
    const code = makeTicketCode(id, keyring, 'TS1');
    const image = join(folder, `${id}.png`);
    await writeFile(image, renderQr(code, { format: 'png' }));
    minted.push({ what, code, image });
  }
  const lines = minted.map(({ what, image }) => `${what.padEnd(16)} ${image}`);
  show(demo, 'Minted three tickets as QR images', lines);
  const shown = minted.at(-1)?.code;
  if (demo.io.stdoutIsTty && shown) demo.io.out(renderQr(shown, { format: 'terminal' }));
  return minted;
}

async function atTheTurnstile(
  demo: Demo,
  [, card, personal]: readonly DemoTicket[],
): Promise<boolean> {
  if (!card || !personal) throw new Error('the demo has three tickets');
  await using device = Device.connect(demo.server.url, {
    key: demo.seeded.keys['hardware'] ?? '',
    serial: 'DEMO0001',
    readMs: demo.io.stdoutIsTty ? READ_MS.terminal : READ_MS.pipe,
    antiRepeatMs: 0,
    passMs: 0,
    deniedMs: DENIED_MS,
  });
  const opened = [
    await present(demo, device, 'The turnstile reads the image of the personal ticket', personal),
    await present(demo, device, 'The same ticket again', personal),
    await present(demo, device, 'The ten-use card', card),
    await present(demo, device, 'The ten-use card again: re-entry', card),
  ];
  const online = await becomes(() => device.online, ONLINE_WITHIN_MS);
  const heartbeat = online ? 'answered: the turnstile is online' : 'NOT answered';
  show(demo, 'Heartbeat', [heartbeat]);
  return online && String(opened) === String([true, false, true, true]);
}

async function present(
  demo: Demo,
  device: Device,
  what: string,
  { image }: DemoTicket,
): Promise<boolean> {
  await becomes(() => device.free, ONLINE_WITHIN_MS);
  const outcome = await device.scanImage(image);
  if (!outcome) throw new TicketscanError('unreachable', 'The turnstile did not read the ticket.');
  const { name, note, opened } = outcome;
  const state: PanelState = { name, note, relay: opened ? device.relay : undefined };
  show(demo, what, []);
  for (const line of panel(state, demo.paint)) demo.io.out(line);
  return opened;
}

async function checkServer(demo: Demo): Promise<boolean> {
  const { keys, tickets } = demo.seeded;
  const target = { baseUrl: demo.server.url, keys, tickets };
  const result = await check({ target, consume: true, maxRate: CHECK_RATE });
  const { passed, failed, warned } = result.totals;
  show(demo, 'Checked against the specification', [
    `${counted(passed, 'case')} passed, ${failed} failed: the server ${result.verdict}`,
  ]);
  return failed === 0 && warned === 0;
}

/** Prints what to try while the server runs; creates the first account of the dashboard. */
async function whereToGoNext(demo: Demo): Promise<void> {
  const { store, storeUrl, folder } = demo;
  const first = await firstSignIn(demo.io, store, storeUrl);
  const signIn = first ? [`name ${first.name}, password ${first.password}`] : [];
  show(demo, 'Open the dashboard: gates, tickets, keys, a gate in the browser', [
    `${demo.server.url}/`,
    ...signIn,
  ]);
  const { rest = '', hardware = '' } = demo.seeded.keys;
  const code = demo.seeded.tickets.permanent.at(-1) ?? '';
  show(demo, 'The server keeps running. Try it in another terminal', [
    `curl -s ${demo.server.url}/scan/consume -H 'x-api-key: ${rest}' \\`,
    `  -H 'content-type: application/json' -d '{"ticketCode":"${code}"}'`,
    '',
    "Enter this Card URL in a controller (with this machine's address):",
    `${demo.server.url}/scan/hw/consume?key=${hardware}`,
    '',
    `npx ticketscan log --follow --store ${storeUrl}`,
    `npx ticketscan keys list --store ${storeUrl}`,
    'npx ticketscan --help      for your own events, keys and tickets',
    '',
    `Ctrl-C ends it. To go on with this data, which is in ${folder}:`,
    `npx ticketscan serve --store ${storeUrl}`,
  ]);
}

/** What a device shows and does after an answer. */
interface PanelState {
  readonly name: string;
  readonly note: string;
  /** The relay that is on; undefined while the door is closed. */
  readonly relay: string | undefined;
}

const WIDTH = 34;

/** Draws the device: its display, its lamp and its door. */
function panel({ name, note, relay }: PanelState, paint: ChalkInstance): string[] {
  const colour = relay === undefined ? paint.red : paint.green;
  const line = (text: string) => `   ${colour('│')} ${padded(text, WIDTH)} ${colour('│')}`;
  return [
    `   ${colour(`┌${'─'.repeat(WIDTH + 2)}┐`)}`,
    ...(name === '' ? [] : [line(name)]),
    line(note),
    `   ${colour(`└${'─'.repeat(WIDTH + 2)}┘`)}`,
    relay === undefined
      ? `   ${colour('● red  ')}  ${paint.bold('door stays CLOSED')}`
      : `   ${colour('● green')}  ${paint.bold(`door OPEN (relay ${relay})`)}`,
  ];
}
