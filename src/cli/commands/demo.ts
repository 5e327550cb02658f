import { randomBytes } from 'node:crypto';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ChalkInstance } from 'chalk';
import { Command } from 'commander';
import { loadSettings } from '../../config/load-settings.ts';
import { DEFAULT_LIMITS } from '../../core/limits.ts';
import { newTicket } from '../../core/new-ticket.ts';
import { makeTicketCode } from '../../core/ticket-code.ts';
import { renderQr } from '../../mint/render-qr.ts';
import { Administration } from '../../scan/administration.ts';
import { type Seeded, seed } from '../../scan/seed.ts';
import { openStore } from '../../stores/open-store.ts';
import type { Store } from '../../stores/store.ts';
import { painter, panel } from '../demo/panel.ts';
import { DemoTurnstile, someoneWalks, type TurnstileState } from '../demo/turnstile.ts';
import type { CliIo } from '../io.ts';
import { runServer, SERVER_SETTINGS } from '../server/run-server.ts';
import { keyringPath, openKeyring, systemClock } from '../store-access.ts';
import { stopped } from './serve.ts';

const EXAMPLES = `
Examples:
  ticketscan demo                on a free port, until Ctrl-C
  ticketscan demo --once         ends after the run
  ticketscan demo --port 8080`;

const TICKETS_PER_STATE = 3;

interface DemoOptions {
  readonly port: string;
  readonly once?: boolean;
}

/** `ticketscan demo`: from nothing to an open door, then a server to try things on. */
export function command(io: CliIo): Command {
  return new Command('demo')
    .description(
      'Sample data, a server, tickets as QR images, a turnstile that reads one and opens.',
    )
    .option('--port <number>', 'TCP port; 0 picks a free one', '0')
    .option('--once', 'end after the run instead of serving on')
    .addHelpText('after', EXAMPLES)
    .action(async (options: DemoOptions) => {
      const stop = io.stopSignal();
      const folder = await mkdtemp(join(tmpdir(), 'ticketscan-demo-'));
      const storeUrl = `sqlite:${join(folder, 'ticketscan.db')}`;
      const store = await openStore(storeUrl);
      try {
        const demo = new Demo(io, store, folder, storeUrl);
        const close = await demo.serve(options.port);
        try {
          const good = await demo.run();
          io.exit(good ? 0 : 1);
          if (!options.once) {
            demo.whereToGoNext();
            await stopped(stop);
          }
        } finally {
          await close();
        }
      } finally {
        await store.close();
      }
    });
}

interface DemoTicket {
  readonly what: string;
  readonly code: string;
  readonly image: string;
}

class Demo {
  readonly #io: CliIo;
  readonly #store: Store;
  readonly #folder: string;
  readonly #storeUrl: string;
  readonly #paint: ChalkInstance;
  readonly #administration: Administration;
  #seeded: Seeded | undefined;
  #url = '';

  constructor(io: CliIo, store: Store, folder: string, storeUrl: string) {
    this.#io = io;
    this.#store = store;
    this.#folder = folder;
    this.#storeUrl = storeUrl;
    this.#paint = painter(io.stdoutIsTty, io.env);
    this.#administration = new Administration(store, systemClock, randomBytes);
  }

  async serve(port: string): Promise<() => Promise<void>> {
    const flags = { port, logLevel: 'warn' };
    const sources = { flags, environment: {}, configFile: undefined };
    const settings = loadSettings(SERVER_SETTINGS, sources);
    const path = keyringPath(this.#storeUrl, undefined);
    const keyring = await openKeyring(this.#store, path);
    this.#seeded = await seed(
      {
        store: this.#store,
        administration: this.#administration,
        keyring,
        clock: systemClock,
        random: randomBytes,
      },
      { ticketsPerState: TICKETS_PER_STATE, limits: DEFAULT_LIMITS },
    );
    const server = await runServer(this.#store, path, settings, this.#io.stderr);
    this.#url = server.url;
    this.#step('Serving', [`${server.url}, data in ${this.#folder}`]);
    return () => server.close();
  }

  /** True when every door did what it should. */
  async run(): Promise<boolean> {
    const [single, multi, personal] = await this.#mint();
    if (!single || !multi || !personal) throw new Error('the demo has three tickets');
    const { hardware = '' } = this.#seeded?.keys ?? {};
    const turnstile = new DemoTurnstile(this.#url, hardware);
    const present = (what: string, { image }: DemoTicket) => this.#present(turnstile, what, image);
    const outcomes = [
      (await present('The turnstile reads the image of the personal ticket', personal)).open,
      !(await present('The same ticket again', personal)).open,
      (await present('The ten-use card', multi)).open,
      (await present('The ten-use card again: re-entry', multi)).open,
    ];
    const alive = await turnstile.heartbeat();
    this.#step('Heartbeat', [alive ? 'answered: the turnstile is online' : 'NOT answered']);
    const good = alive && outcomes.every(Boolean);
    if (!good) this.#io.err('The demo did not go as it should; please report this.');
    return good;
  }

  async #mint(): Promise<DemoTicket[]> {
    const keyring = await openKeyring(this.#store, keyringPath(this.#storeUrl, undefined));
    const { main = '' } = this.#seeded?.events ?? {};
    const wishes = [
      { what: 'single ticket', kind: 'single' },
      { what: 'ten-use card', kind: 'multi', uses: 10 },
      { what: 'personal ticket', kind: 'single', firstName: 'Ada', lastName: 'Lovelace' },
    ] as const;
    const minted: DemoTicket[] = [];
    for (const { what, ...wish } of wishes) {
      const ticket = newTicket({ eventId: main, ...wish }, systemClock.now(), randomBytes);
      await this.#store.insertTickets([ticket]);
      const code = makeTicketCode(ticket.id, keyring, 'TS1');
      const image = join(this.#folder, `${ticket.id}.png`);
      await writeFile(image, renderQr(code, { format: 'png' }));
      minted.push({ what, code, image });
    }
    this.#step(
      'Minted three tickets as QR images',
      minted.map(({ what, image }) => `${what.padEnd(16)} ${image}`),
    );
    if (this.#io.stdoutIsTty) this.#io.out(renderQr(minted[0]?.code ?? '', { format: 'terminal' }));
    return minted;
  }

  async #present(turnstile: DemoTurnstile, what: string, image: string): Promise<TurnstileState> {
    await someoneWalks(this.#io);
    const state = await turnstile.present(await turnstile.look(image));
    this.#step(what, []);
    for (const line of panel(state, this.#paint)) this.#io.out(line);
    return state;
  }

  whereToGoNext(): void {
    const { rest = '', hardware = '' } = this.#seeded?.keys ?? {};
    const code = this.#seeded?.tickets.multi[0] ?? '';
    this.#step('The server goes on serving. Try it in another terminal', [
      `curl -s ${this.#url}/scan/consume -H 'x-api-key: ${rest}' \\`,
      `  -H 'content-type: application/json' -d '{"ticketCode":"${code}"}'`,
      '',
      `A controller on your desk takes this Card URL (with this machine's address):`,
      `${this.#url}/scan/hw/consume?key=${hardware}`,
      '',
      `npx ticketscan log --follow --store ${this.#storeUrl}`,
      `npx ticketscan keys list --store ${this.#storeUrl}`,
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
