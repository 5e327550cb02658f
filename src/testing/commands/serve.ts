import type { Command } from 'commander';
import { InvalidArgumentError } from 'commander';
import { isLoopback } from '../../config/addresses.ts';
import { givenVariable } from '../../config/given-value.ts';
import type { Settings } from '../../config/settings.ts';
import { TicketscanError } from '../../core/errors.ts';
import { type ChosenStage, type StageOptions, serveCommand } from '../../serve/commands.ts';
import type { ServedScans, Stage } from '../../serve/stage.ts';
import type { CliIo } from '../../terminal/io.ts';
import { type AnyCommand, readSecretValue } from '../../terminal/options.ts';
import type { VaryOptions } from '../vary/variations.ts';

/** `ticketscan serve`, with the options by which tests of devices and software drive the server. */
export function command(io: CliIo): AnyCommand {
  return serveCommand(io, TEST_OPTIONS);
}

const TEST_OPTIONS: StageOptions = {
  flags: ['--test-controls', '--test-controls-token', '--vary'],
  addTo: addTestOptions,
  chosen: (options, settings, io) => {
    const controls = testControlsFrom(options, settings, io);
    const vary = varyFrom(options, settings, controls);
    if (!controls.testControls && !vary) return undefined;
    return { ...stageFor(controls, vary), warn: warningsOf(controls, vary, settings.store) };
  },
};

function addTestOptions(serve: Command): void {
  serve
    .option(
      '--test-controls',
      'let tests with the token of the start line control clock, data and faults under /_test (ticketscan docs testing)',
    )
    .option(
      '--test-controls-token <token>',
      `let other machines control them too, with this token (env:NAME, file:PATH), on --store memory: only [${TEST_TOKEN_VARIABLE}]`,
    )
    .option(
      '--vary <seed>',
      'answer in unusual ways that the specification allows, chosen by this number: for tests of clients (ticketscan docs testing)',
      parseVarySeed,
    );
}

/** A server without a stage has none of the code of tests in its memory: it is loaded when the server is built. */
function stageFor(
  { testControls, testToken: given }: TestControlsOptions,
  vary: VaryOptions | undefined,
): Stage {
  return {
    testControls,
    build: async (scan, endpoints, plain): Promise<ServedScans> => {
      if (!testControls) {
        const scans = plain();
        if (!vary) return scans;
        const { varied } = await import('../exchanges/staged-endpoint.ts');
        return { ...scans, deps: varied(scans.deps, vary) };
      }
      const [{ TestBench }, { hooksOf }] = await Promise.all([
        import('../test-bench.ts'),
        import('../remote/control-routes.ts'),
      ]);
      const deviceFiles = endpoints.deviceFiles?.names;
      const bench = new TestBench({ ...scan, testToken: given, vary, deviceFiles });
      const testToken = given === undefined ? bench.testToken : undefined;
      return { deps: hooksOf(bench, endpoints), clock: bench.clockInHand, testToken };
    },
  };
}

function warningsOf(
  { testControls }: TestControlsOptions,
  vary: VaryOptions | undefined,
  store: string,
): ChosenStage['warn'] {
  return (io, url) => {
    if (testControls) warnOfControls(io, url, store);
    if (vary) warnOfVariations(io, vary.seed);
  };
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

function warnOfControls(io: Pick<CliIo, 'err'>, url: string, store: string): void {
  io.err('TEST CONTROLS ARE ON: do not use this at a gate. Anyone with the test token');
  io.err(`can change the clock, the data and the answers of this server under ${url}/_test.`);
  if (store !== 'memory:') {
    io.err('Reset, snapshot and restore need --store memory:; with this store they are refused.');
  }
}

function warnOfVariations(io: Pick<CliIo, 'err'>, seed: number): void {
  io.err('ANSWERS VARY: do not use this at a gate. Each line of the request log names what is');
  io.err(`different under "vary"; --vary ${seed} varies the same requests in the same way again.`);
}
