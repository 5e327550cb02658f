import { dirname } from 'node:path';
import { Command, InvalidArgumentError } from '@commander-js/extra-typings';
import { isLoopback, selfSignedPaths } from '../config/addresses.ts';
import { givenVariable } from '../config/given-value.ts';
import { CONFIG_FILE } from '../config/load-settings.ts';
import { SERVER_SETTINGS, type Settings } from '../config/settings.ts';
import { systemClock } from '../config/system-clock.ts';
import { TicketscanError } from '../core/errors.ts';
import { noteAddress } from '../features/server/address.ts';
import {
  keyringPath,
  openKeyring,
  openOrMakeStore,
  STORE_SETTINGS,
} from '../operations/store-access.ts';
import { filesOfStore } from '../stores/open-store.ts';
import type { Store } from '../stores/store.ts';
import { type CliIo, stopped } from '../terminal/io.ts';
import { addSettings, groupOptions, readSecretValue, readSettings } from '../terminal/options.ts';
import type { VaryOptions } from '../testing/vary/variations.ts';
import {
  announce,
  CLOCK_ADVICE,
  checkSignInFile,
  checkSignInOn,
  clockWarning,
  showFirstSignIn,
} from './announce.ts';
import type { RunningServer } from './run-server.ts';

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
  'For tests of devices and software': ['--test-controls', '--test-controls-token', '--vary'],
};

const SETTINGS = [...STORE_SETTINGS, ...SERVER_SETTINGS, 'firstSignIn'] as const;

/** `ticketscan serve`: the scan API until a signal stops it. */
export function command(io: CliIo) {
  const serve = new Command('serve')
    .description('Serve the scan API and its administration on a store, until Ctrl-C or SIGTERM.')
    .option(
      '--json',
      'first line on stdout: {"event":"listening","url":…,"urls":[…],"dashboard":…}',
    )
    .option(
      '--test-controls',
      'let tests with the token of the start line control clock, data and faults under /_test (ticketscan docs testing)',
    )
    .option(
      '--test-controls-token <token>',
      `the same from other machines, with this token (env:NAME, file:PATH), on --store memory: only [${TEST_TOKEN_VARIABLE}]`,
    )
    .option(
      '--vary <seed>',
      'answer in unusual ways that the specification allows, chosen by this number: for tests of clients (ticketscan docs testing)',
      parseVarySeed,
    )
    .addHelpText('after', EXAMPLES)
    .action(async (options: Record<string, unknown>) => {
      const stop = io.stopSignal();
      io.outlives = 'output';
      const settings = readSettings(SETTINGS, options, io);
      checkSignInFile(settings, filesOfServer(settings, options, io));
      const controls = testControlsFrom(options, settings, io);
      const vary = varyFrom(options, settings, controls);
      // A store of SQLite opens in a thread of its own: the server is loaded meanwhile.
      const [store, { runServer }] = await Promise.all([
        openOrMakeStore(io, settings.store),
        import('./run-server.ts'),
      ]);
      try {
        await checkSignInOn(store, settings.firstSignIn);
        const path = keyringPath(settings.store, settings.keyring);
        await openKeyring(store, path, io);
        const server = await runServer(store, path, { ...settings, ...controls, vary }, io.stderr);
        try {
          if (controls.testControls) warnOfControls(io, server.url, settings.store);
          if (vary) warnOfVariations(io, vary.seed);
          if (server.certificate?.notice) io.err(server.certificate.notice);
          io.onHangup(() => server.certificate?.reload());
          const behind = await clockWarning(store, systemClock.now());
          if (behind) io.err(`${behind} ${CLOCK_ADVICE}`);
          await remember(store, server);
          await announce(io, server, options, settings.store);
          await showFirstSignIn(io, store, settings.store, server.urls, settings.firstSignIn);
          await stopped(stop);
        } finally {
          // Whatever went wrong: a server without its store would answer 500 until somebody kills it.
          await server.close();
        }
      } finally {
        await store.close();
      }
    });
  return groupOptions(addSettings(serve, SETTINGS), OPTION_GROUPS);
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

/** Only a convenience for commands: a store that cannot write now is told of by the gates and `doctor`. */
async function remember(store: Store, { publicUrl }: RunningServer): Promise<void> {
  await noteAddress(store, publicUrl).catch(() => undefined);
}

/** The variable for containers, which often can be given variables only. */
const TEST_TOKEN_VARIABLE = 'TICKETSCAN_TEST_CONTROLS_TOKEN';

/** The fewest characters of a token: 128 bits take as many in base64url. */
const TOKEN_LENGTH_MIN = 22;

interface TestControlsOptions {
  readonly testControls: boolean;
  /** What requests must carry; undefined lets the server make one, for this machine only. */
  readonly testToken: string | undefined;
}

/**
 * Whether this run has test controls, and with which token. The token permits emptying the store and stopping the clock: a
 * token of the server's own is for this machine alone, a token that was given works from everywhere on a store without data.
 * @throws TicketscanError `usage` for an address or a store that does not go with them, or a token that is too short
 */
function testControlsFrom(
  options: Readonly<Record<string, unknown>>,
  settings: Pick<Settings, 'host' | 'store' | 'tlsElsewhere'>,
  io: Pick<CliIo, 'env'>,
): TestControlsOptions {
  const option = options['testControlsToken'];
  const variable = givenVariable(io.env, TEST_TOKEN_VARIABLE);
  if (typeof option === 'string') {
    const testToken = readSecretValue(option, io);
    return givenToken(testToken, '--test-controls-token', settings.store);
  }
  if (variable !== undefined) return givenToken(variable, TEST_TOKEN_VARIABLE, settings.store);
  const testControls = options['testControls'] === true;
  if (testControls) refuseControlsForOthers(settings);
  return { testControls, testToken: undefined };
}

function givenToken(testToken: string, name: string, store: string): TestControlsOptions {
  if (store !== 'memory:') {
    throw new TicketscanError(
      'usage',
      `${name} lets clients on other machines change clock and data, so it needs --store memory:. Add that, or remove ${name}.`,
    );
  }
  if (testToken.length < TOKEN_LENGTH_MIN || !/^[\w.~+/=-]+$/.test(testToken)) {
    throw new TicketscanError(
      'usage',
      `${name} must have at least ${TOKEN_LENGTH_MIN} letters, digits or characters of ._~+/=-, such as the output of: openssl rand -hex 16`,
    );
  }
  return { testControls: true, testToken };
}

/**
 * How answers vary; undefined without `--vary`.
 * @throws TicketscanError `usage` where others can reach the server and it has no test controls
 */
function varyFrom(
  { vary }: Readonly<Record<string, unknown>>,
  settings: Pick<Settings, 'host' | 'tlsElsewhere' | 'hardwareAlways200'>,
  { testControls }: Pick<TestControlsOptions, 'testControls'>,
): VaryOptions | undefined {
  if (typeof vary !== 'number') return undefined;
  if (!testControls && (!isLoopback(settings.host) || settings.tlsElsewhere)) {
    throw new TicketscanError(
      'usage',
      '--vary makes unusual answers, which are for tests, and other machines can reach this server. ' +
        'Keep --host at 127.0.0.1 and leave out --tls-elsewhere, or give a token with --test-controls-token.',
    );
  }
  return { seed: vary, hardwareAlways200: settings.hardwareAlways200 };
}

/** The seed of `--vary`. @throws InvalidArgumentError */
function parseVarySeed(text: string): number {
  const seed = Number(text);
  if (/^\d+$/.test(text) && seed < 2 ** 32) return seed;
  throw new InvalidArgumentError('It must be a whole number from 0 to 4294967295.');
}

function refuseControlsForOthers({
  host,
  tlsElsewhere,
}: Pick<Settings, 'host' | 'tlsElsewhere'>): void {
  if (!isLoopback(host)) {
    throw new TicketscanError(
      'usage',
      `--test-controls lets clients change clock and data, and other machines can reach ${host}. ` +
        'Keep --host at 127.0.0.1, or remove --test-controls, or give a token with --test-controls-token.',
    );
  }
  if (tlsElsewhere) {
    throw new TicketscanError(
      'usage',
      '--test-controls and --tls-elsewhere cannot be combined: a proxy in front would give others access to the controls. ' +
        'Remove one of them, or give a token with --test-controls-token.',
    );
  }
}

/** Warns on stderr, in every mode: nobody shall run a gate on such a server by mistake. */
function warnOfControls(io: Pick<CliIo, 'err'>, url: string, store: string): void {
  io.err('TEST CONTROLS ARE ON: do not use this at a gate. Anyone with the test token');
  io.err(`can change the clock, the data and the answers of this server under ${url}/_test.`);
  if (store !== 'memory:') {
    io.err('Reset, snapshot and restore need --store memory:; with this store they are refused.');
  }
}

/** Warns on stderr, in every mode, as for test controls. */
function warnOfVariations(io: Pick<CliIo, 'err'>, seed: number): void {
  io.err('ANSWERS VARY: do not use this at a gate. Each line of the request log names what is');
  io.err(`different under "vary"; --vary ${seed} varies the same requests in the same way again.`);
}
