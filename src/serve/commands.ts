import { dirname } from 'node:path';
import { Command } from '@commander-js/extra-typings';
import { pino } from 'pino';
import { isLoopbackUrl, selfSignedPaths } from '../config/addresses.ts';
import { givenVariable } from '../config/given-value.ts';
import { CONFIG_FILE } from '../config/load-settings.ts';
import { SERVER_SETTINGS, type Settings } from '../config/settings.ts';
import { systemClock } from '../config/system-clock.ts';
import { isWellFormedSiteToken } from '../core/api-key.ts';
import { TicketscanError } from '../core/errors.ts';
import { noteAddress } from '../features/server/rules.ts';
import type { SiteAgent, SiteSettings } from '../features/sites/agent.ts';
import { waitsForSites } from '../features/sites/asked-events.ts';
import { listSiteValues } from '../features/sites/site-records.ts';
import {
  keyringPath,
  openKeyring,
  openOrMakeStore,
  STORE_SETTINGS,
} from '../features/store/opening.ts';
import { readDuration } from '../kit/durations.ts';
import { filesOfStore, parseStoreUrl } from '../stores/open-store.ts';
import type { Store } from '../stores/store.ts';
import { type CliIo, stopped } from '../terminal/io.ts';
import { readKeyValue } from '../terminal/key-value.ts';
import {
  type AnyCommand,
  addSettings,
  groupOptions,
  readCa,
  readSettings,
} from '../terminal/options.ts';
import {
  announce,
  CLOCK_ADVICE,
  checkSignInFile,
  checkSignInOn,
  clockWarning,
  showFirstSignIn,
} from './announce.ts';
import type { RunningServer } from './run-server.ts';
import type { Stage } from './stage.ts';

const EXAMPLES = `
Examples:
  ticketscan serve                                   on http://127.0.0.1:8080, data in ./ticketscan.db
  ticketscan serve --port 0 --json                   any free port; the first line on stdout shows it
  ticketscan serve --host 0.0.0.0 --tls-self-signed  on the network, with a self-signed certificate
  ticketscan serve --host 0.0.0.0 --port 443 --tls-cert chain.pem --tls-key key.pem
  ticketscan serve --store memory: --vary 7          for tests of a client: unusual, but correct answers
  TICKETSCAN_STORE=sqlite:/var/lib/gate.db ticketscan serve

Stops on Ctrl-C or SIGTERM after answering the requests that have arrived. /healthz says that it runs, /readyz that the
store can write, /openapi.json describes the API. A certificate is read again when its files change, and on SIGHUP. On a store
without accounts, the first start creates an owner and shows how to sign in, once, on stderr or in the file of --first-sign-in.
Logs are JSON lines on stderr, without API keys and ticket codes.`;

const OPTION_GROUPS = {
  'First of all': ['--port', '--host', '--store', '--tls-self-signed', '--base-url'],
  'Address and TLS': [
    '--tls-cert',
    '--tls-key',
    '--tls-name',
    '--tls-key-type',
    '--tls-elsewhere',
    '--trusted-proxy',
  ],
  'A site of a centre': ['--centre', '--site-token', '--max-age', '--ca'],
  Devices: ['--device-file', '--device-retry-window-ms', '--hardware-always-200'],
  'Data and keys': ['--keyring', '--keep-log-days', '--keep-holders-days', '--first-sign-in'],
  'Logs, metrics and webhooks': [
    '--log-level',
    '--metrics',
    '--metrics-token-file',
    '--webhook-networks',
    '--webhook-ca',
  ],
  'Time limits': ['--request-timeout-ms', '--headers-timeout-ms', '--stop-timeout-ms'],
};

const SETTINGS = [...STORE_SETTINGS, ...SERVER_SETTINGS, 'firstSignIn'] as const;

/** The options by which tests control the server; `testing` provides them. */
export interface StageOptions {
  /** The names of its options, for the help. */
  readonly flags: readonly string[];
  addTo(command: AnyCommand): void;
  /** @returns undefined if none of the options is given @throws TicketscanError `usage` for options that cannot be combined */
  chosen(
    options: Readonly<Record<string, unknown>>,
    settings: Pick<Settings, 'host' | 'store' | 'tlsElsewhere' | 'hardwareAlways200'>,
    io: Pick<CliIo, 'env'>,
  ): ChosenStage | undefined;
}

/** A stage with a warning for its operator. */
export interface ChosenStage extends Stage {
  /** Warns on stderr, in every mode, so that nobody runs a gate on such a server by mistake. */
  warn(io: Pick<CliIo, 'err'>, url: string): void;
}

/** `ticketscan serve`: the scan API until a signal stops it. */
export function serveCommand(io: CliIo, tests: StageOptions): AnyCommand {
  const serve = new Command('serve')
    .description('Serve the scan API and its administration on a store, until Ctrl-C or SIGTERM.')
    .option(
      '--json',
      'first line on stdout: {"event":"listening","url":…,"urls":[…],"dashboard":…}',
    )
    .addHelpText('after', EXAMPLES)
    .action(async (options: Record<string, unknown>) => {
      const stop = io.stopSignal();
      io.outlives = 'output';
      const settings = readSettings(SETTINGS, options, io);
      checkSignInFile(settings, filesOfServer(settings, options, io));
      const stage = tests.chosen(options, settings, io);
      const toCentre = siteFrom(settings, options, io);
      // A store of SQLite opens in a thread of its own: the server is loaded meanwhile.
      const [store, { runServer }] = await Promise.all([
        openOrMakeStore(io, settings.store),
        import('./run-server.ts'),
      ]);
      try {
        await checkSignInOn(store, settings.firstSignIn);
        const path = keyringPath(settings.store, settings.keyring);
        const site = await followedCentre(store, toCentre, settings.logLevel, io);
        if (!site) await openKeyring(store, path, io);
        const server = await runServer(store, path, { ...settings, stage, site }, io.stderr);
        try {
          site?.start();
          stage?.warn(io, server.url);
          if (server.certificate?.notice) io.err(server.certificate.notice);
          io.onHangup(() => server.certificate?.reload());
          const behind = await clockWarning(store, systemClock.now());
          if (behind) io.err(`${behind} ${CLOCK_ADVICE}`);
          const waits = await waitsForSites(store);
          if (waits) io.err(waits);
          await remember(store, server);
          await announce(io, server, options, settings.store);
          await showFirstSignIn(io, store, settings.store, server.urls, settings.firstSignIn);
          await stopped(stop);
        } finally {
          // The server must end in any case: without its store it would answer 500 until somebody kills it.
          await server.close();
          await site?.close();
        }
      } finally {
        await store.close();
      }
    });
  tests.addTo(serve);
  const groups = { ...OPTION_GROUPS, 'For tests of devices and software': tests.flags };
  return groupOptions(addSettings(serve, SETTINGS), groups);
}

/** The centre of a site, if the settings name one. @throws TicketscanError `usage` for settings that do not go together */
function siteFrom(
  { centre, siteToken, maxAge, store }: Pick<Settings, (typeof SETTINGS)[number]>,
  options: Readonly<Record<string, unknown>>,
  io: CliIo,
): SiteSettings | undefined {
  if (centre === undefined) {
    const given = siteToken === undefined ? '--max-age' : '--site-token';
    if (siteToken === undefined && maxAge === undefined) return undefined;
    throw new TicketscanError('usage', `${given} is for a site: name its centre with --centre.`);
  }
  if (siteToken === undefined) {
    throw new TicketscanError(
      'usage',
      '--centre needs the token of the site: --site-token file:PATH. At the centre, ticketscan sites create shows it.',
    );
  }
  const { engine } = parseStoreUrl(store);
  if (engine === 'json' || engine === 'memory') {
    throw new TicketscanError(
      'usage',
      'A site needs a store that remembers what it decided: sqlite:FILE, or postgres://…',
    );
  }
  if (!centre.startsWith('https:') && !isLoopbackUrl(centre)) {
    throw new TicketscanError(
      'usage',
      `--centre ${centre}: others on the network could read the token. Use https.`,
    );
  }
  const token = readSiteToken(siteToken, io);
  const maxAgeMs = maxAge === undefined ? undefined : readDuration(maxAge);
  return { url: centre, token, ca: readCa(options, io), maxAgeMs };
}

/** @throws TicketscanError `usage` for a text that no site has as its token */
function readSiteToken(value: string, io: CliIo): string {
  const token = readKeyValue(value, io, '--site-token, or TICKETSCAN_SITE_TOKEN,');
  if (isWellFormedSiteToken(token)) return token;
  throw new TicketscanError(
    'usage',
    '--site-token, or TICKETSCAN_SITE_TOKEN, is no token of a site, or is not whole. Copy all of what ticketscan sites create showed; if that is lost, create another site.',
  );
}

/** Begins to follow the centre. @throws TicketscanError `unreachable` for a new site without a line */
async function followedCentre(
  store: Store,
  settings: SiteSettings | undefined,
  logLevel: Settings['logLevel'],
  io: CliIo,
): Promise<SiteAgent | undefined> {
  if (!settings) {
    await refuseSiteAlone(store);
    return undefined;
  }
  const { SiteAgent } = await import('../features/sites/agent.ts');
  const log = pino({ level: logLevel, base: null }, io.stderr);
  const site = new SiteAgent({ store, clock: systemClock, log }, settings);
  await site.begin();
  return site;
}

/** @throws TicketscanError `usage` for the store of a site: it has the keys of its centre, and has to follow it */
async function refuseSiteAlone(store: Store): Promise<void> {
  const [of] = await listSiteValues(store, 'site-of');
  if (!of) return;
  const { name, url } = of.value;
  throw new TicketscanError(
    'usage',
    `This store is that of ${name === '' ? 'a site' : `the site "${name}"`}: start it with --centre ${url} --site-token file:PATH. The gates go on also without a line.`,
  );
}

/** Every file that a server with these settings reads or writes. */
function filesOfServer(
  settings: Pick<Settings, (typeof SETTINGS)[number]>,
  { config }: Readonly<Record<string, unknown>>,
  io: Pick<CliIo, 'env'>,
): string[] {
  const { tlsCert, tlsKey, metricsTokenFile, webhookCa, deviceFile } = settings;
  const keyring = keyringPath(settings.store, settings.keyring);
  const selfSigned = keyring === undefined ? [] : Object.values(selfSignedPaths(dirname(keyring)));
  const named = [keyring, tlsCert, tlsKey, metricsTokenFile, webhookCa, ...(deviceFile ?? [])];
  const configured = config ?? givenVariable(io.env, 'TICKETSCAN_CONFIG') ?? CONFIG_FILE;
  return [...filesOfStore(settings.store), ...selfSigned, ...named, configured].filter(
    (one) => typeof one === 'string',
  );
}

/** Remembers the address for commands. A failure is ignored, because the gates and `doctor` report a store that cannot write. */
async function remember(store: Store, { publicUrl }: RunningServer): Promise<void> {
  await noteAddress(store, publicUrl).catch(() => undefined);
}
