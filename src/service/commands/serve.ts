import { Command } from 'commander';
import { systemClock } from '../../config/system-clock.ts';
import { type CliIo, stopped } from '../../terminal/io.ts';
import { addSettings, readSettings } from '../../terminal/setting-options.ts';
import { openOrMakeStore } from './access/existing-store.ts';
import { keyringPath, openKeyring, STORE_SETTINGS } from './access/store-access.ts';
import { announce } from './serve/announce.ts';
import { CLOCK_ADVICE, clockWarning } from './serve/clock-warning.ts';
import { showFirstSignIn } from './serve/first-sign-in.ts';
import { SERVER_SETTINGS } from './serve/server-settings.ts';
import {
  parseVarySeed,
  TEST_TOKEN_VARIABLE,
  testControlsFrom,
  varyFrom,
  warnOfControls,
  warnOfVariations,
} from './serve/test-controls.ts';

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

const SETTINGS = [...STORE_SETTINGS, ...SERVER_SETTINGS, 'firstSignIn'] as const;

/** `ticketscan serve`: the scan API until a signal stops it. */
export function command(io: CliIo): Command {
  const serve = new Command('serve')
    .description('Serve the scan API and its administration on a store, until Ctrl-C or SIGTERM.')
    .option(
      '--json',
      'first line on stdout: {"event":"listening","url":…,"urls":[…],"dashboard":…}',
    )
    .option(
      '--test-controls',
      'let tests with the token of the start line control clock, data and faults under /_test (docs/testing.md)',
    )
    .option(
      '--test-controls-token <token>',
      `the same from other machines, with this token (env:NAME, file:PATH), on --store memory: only [${TEST_TOKEN_VARIABLE}]`,
    )
    .option(
      '--vary <seed>',
      'answer in unusual ways that the specification allows, chosen by this number: for tests of clients (docs/testing.md)',
      parseVarySeed,
    )
    .addHelpText('after', EXAMPLES)
    .action(async (options: Record<string, unknown>) => {
      const stop = io.stopSignal();
      io.outlives = 'output';
      const settings = readSettings(SETTINGS, options, io);
      const controls = testControlsFrom(options, settings, io);
      const vary = varyFrom(options, settings, controls);
      // A store of SQLite opens in a thread of its own: the server is loaded meanwhile.
      const [store, { runServer }] = await Promise.all([
        openOrMakeStore(io, settings.store),
        import('./serve/run-server.ts'),
      ]);
      try {
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
  return addSettings(serve, SETTINGS);
}
