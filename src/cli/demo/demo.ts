import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { ChalkInstance } from 'chalk';
import { check } from '../../check/index.ts';
import { loadSettings } from '../../config/load-settings.ts';
import { systemClock } from '../../config/system-clock.ts';
import { TicketscanError } from '../../core/errors.ts';
import { DEFAULT_LIMITS } from '../../core/limits.ts';
import { makeTicketCode } from '../../core/ticket-code.ts';
import { TicketAdministration } from '../../features/tickets/administration.ts';
import { counted } from '../../kit/counted.ts';
import { keyringPath, openKeyring } from '../../service/commands/access/store-access.ts';
import { firstSignIn } from '../../service/commands/serve/first-sign-in.ts';
import { type RunningServer, runServer } from '../../service/commands/serve/run-server.ts';
import { SERVER_SETTINGS } from '../../service/commands/serve/server-settings.ts';
import { COMMAND_LINE } from '../../service/manage/actor.ts';
import { Administration } from '../../service/manage/administration.ts';
import { type Seeded, seed } from '../../service/manage/seed.ts';
import type { Store } from '../../service/stores/store.ts';
import { Device } from '../../simulate/index.ts';
import type { CliIo } from '../../terminal/io.ts';
import { renderQr } from '../../tickets/codes/render-qr.ts';
import { type PanelState, painter, panel } from './panel.ts';

const TICKETS_PER_STATE = 40;
/** The check sends requests faster than a gate would. */
const LIMITS = { ...DEFAULT_LIMITS, ratePerSecond: 1000, burst: 2000 };
const CHECK_RATE = 500;
/** Slow enough to watch on a terminal; no delay elsewhere. */
const READ_MS = { terminal: 600, pipe: 10 };
const POLL_MS = 20;
const ONLINE_WITHIN_MS = 3000;

export interface DemoPlace {
  readonly store: Store;
  readonly storeUrl: string;
  readonly folder: string;
}

interface DemoTicket {
  readonly what: string;
  readonly image: string;
}

/** The steps of `ticketscan demo`: tickets, a turnstile, a check, all real. */
export class Demo {
  readonly #io: CliIo;
  readonly #place: DemoPlace;
  readonly #paint: ChalkInstance;
  readonly #seeded: Seeded;
  readonly #server: RunningServer;

  private constructor(io: CliIo, place: DemoPlace, seeded: Seeded, server: RunningServer) {
    this.#io = io;
    this.#place = place;
    this.#paint = painter(io.stdoutIsTty, io.env);
    this.#seeded = seeded;
    this.#server = server;
  }

  /** Fills the store and serves it. @throws TicketscanError as `runServer` does */
  static async start(io: CliIo, place: DemoPlace, port: string): Promise<Demo> {
    const { store, storeUrl, folder } = place;
    const sources = { flags: { port, logLevel: 'error' }, environment: {}, configFile: undefined };
    const settings = loadSettings(SERVER_SETTINGS, sources);
    const path = keyringPath(storeUrl, undefined);
    const keyring = await openKeyring(store, path, io);
    const administration = new Administration(store, systemClock, randomBytes);
    const deps = { store, administration, keyring, clock: systemClock, random: randomBytes };
    const seeded = await seed(deps, { ticketsPerState: TICKETS_PER_STATE, limits: LIMITS });
    const server = await runServer(store, path, { ...settings, store: storeUrl }, io.stderr);
    const demo = new Demo(io, place, seeded, server);
    demo.#step('Serving', [`${server.url}, data in ${folder}`]);
    return demo;
  }

  /** True when every door did what it should, and the check found nothing. */
  async run(): Promise<boolean> {
    const doorsRight = await this.#atTheTurnstile(await this.#mint());
    const conforms = await this.#check();
    if (!doorsRight || !conforms) this.#io.err('The demo failed; please report this.');
    return doorsRight && conforms;
  }

  async close(): Promise<void> {
    await this.#server.close();
  }

  async #mint(): Promise<DemoTicket[]> {
    const { store, storeUrl, folder } = this.#place;
    const keyring = await openKeyring(store, keyringPath(storeUrl, undefined));
    const parts = [store, systemClock, randomBytes] as const;
    const event = await new Administration(...parts).findEvent(this.#seeded.events.main);
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
    this.#step('Minted three tickets as QR images', lines);
    const shown = minted.at(-1)?.code;
    if (this.#io.stdoutIsTty && shown) this.#io.out(renderQr(shown, { format: 'terminal' }));
    return minted;
  }

  async #atTheTurnstile([, card, personal]: readonly DemoTicket[]): Promise<boolean> {
    if (!card || !personal) throw new Error('the demo has three tickets');
    await using device = Device.connect(this.#server.url, {
      key: this.#seeded.keys['hardware'] ?? '',
      serial: 'DEMO0001',
      readMs: this.#io.stdoutIsTty ? READ_MS.terminal : READ_MS.pipe,
      antiRepeatMs: 0,
      passMs: 0,
      deniedMs: POLL_MS,
    });
    const opened = [
      await this.#present(device, 'The turnstile reads the image of the personal ticket', personal),
      await this.#present(device, 'The same ticket again', personal),
      await this.#present(device, 'The ten-use card', card),
      await this.#present(device, 'The ten-use card again: re-entry', card),
    ];
    const online = await becomes(() => device.online, ONLINE_WITHIN_MS);
    const heartbeat = online ? 'answered: the turnstile is online' : 'NOT answered';
    this.#step('Heartbeat', [heartbeat]);
    return online && String(opened) === String([true, false, true, true]);
  }

  async #present(device: Device, what: string, { image }: DemoTicket): Promise<boolean> {
    await becomes(() => device.free, ONLINE_WITHIN_MS);
    const outcome = await device.scanImage(image);
    if (!outcome)
      throw new TicketscanError('unreachable', 'The turnstile did not read the ticket.');
    const { name, note, opened } = outcome;
    const state: PanelState = { name, note, relay: opened ? device.relay : undefined };
    this.#step(what, []);
    for (const line of panel(state, this.#paint)) this.#io.out(line);
    return opened;
  }

  async #check(): Promise<boolean> {
    const { keys, tickets } = this.#seeded;
    const target = { baseUrl: this.#server.url, keys, tickets };
    const result = await check({ target, consume: true, maxRate: CHECK_RATE });
    const { passed, failed, warned } = result.totals;
    this.#step('Checked against the specification', [
      `${counted(passed, 'case')} passed, ${failed} failed: the server ${result.verdict}`,
    ]);
    return failed === 0 && warned === 0;
  }

  /** Prints what to try while the server runs; creates the first account of the dashboard. */
  async whereToGoNext(): Promise<void> {
    const { store, storeUrl } = this.#place;
    const first = await firstSignIn(this.#io, store, storeUrl);
    const signIn = first ? [`name ${first.name}, password ${first.password}`] : [];
    this.#step('Open the dashboard: gates, tickets, keys, a gate in the browser', [
      `${this.#server.url}/`,
      ...signIn,
    ]);
    const { rest = '', hardware = '' } = this.#seeded.keys;
    const code = this.#seeded.tickets.permanent.at(-1) ?? '';
    this.#step('The server keeps running. Try it in another terminal', [
      `curl -s ${this.#server.url}/scan/consume -H 'x-api-key: ${rest}' \\`,
      `  -H 'content-type: application/json' -d '{"ticketCode":"${code}"}'`,
      '',
      "Enter this Card URL in a controller (with this machine's address):",
      `${this.#server.url}/scan/hw/consume?key=${hardware}`,
      '',
      `npx ticketscan log --follow --store ${storeUrl}`,
      `npx ticketscan keys list --store ${storeUrl}`,
      'npx ticketscan --help      for your own events, keys and tickets',
      '',
      'Ctrl-C ends it.',
    ]);
  }

  #step(title: string, lines: readonly string[]): void {
    this.#io.out(`\n${this.#paint.bold(title)}`);
    for (const line of lines) this.#io.out(line === '' ? '' : `   ${line}`);
  }
}

/** True as soon as `condition` holds, false when it does not within that time. */
async function becomes(condition: () => boolean, withinMs: number): Promise<boolean> {
  for (let waited = 0; waited < withinMs && !condition(); waited += POLL_MS) await wait(POLL_MS);
  return condition();
}
