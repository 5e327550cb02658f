import { InvalidArgumentError } from 'commander';
import type { Settings } from '../../../config/settings.ts';
import { TicketscanError } from '../../../core/errors.ts';
import type { CliIo } from '../../../terminal/io.ts';
import { readSecretValue } from '../../../terminal/option-values.ts';
import type { VaryOptions } from '../../../testing/vary/variations.ts';
import { isLoopback } from './loopback.ts';

/** For containers, which often can be given variables only. */
export const TEST_TOKEN_VARIABLE = 'TICKETSCAN_TEST_CONTROLS_TOKEN';

/** As many as 128 bits take in base64url. */
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
export function testControlsFrom(
  options: Readonly<Record<string, unknown>>,
  settings: Pick<Settings, 'host' | 'store' | 'tlsElsewhere'>,
  io: Pick<CliIo, 'env'>,
): TestControlsOptions {
  const option = options['testControlsToken'];
  const variable = io.env[TEST_TOKEN_VARIABLE] || undefined;
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
export function varyFrom(
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
export function parseVarySeed(text: string): number {
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

/** On stderr, in every mode: nobody shall run a gate on such a server by mistake. */
export function warnOfControls(io: Pick<CliIo, 'err'>, url: string, store: string): void {
  io.err('TEST CONTROLS ARE ON: do not use this at a gate. Anyone with the test token');
  io.err(`can change the clock, the data and the answers of this server under ${url}/_test.`);
  if (store !== 'memory:') {
    io.err('Reset, snapshot and restore need --store memory:; with this store they are refused.');
  }
}

/** On stderr, in every mode, as for test controls. */
export function warnOfVariations(io: Pick<CliIo, 'err'>, seed: number): void {
  io.err('ANSWERS VARY: do not use this at a gate. Each line of the request log names what is');
  io.err(`different under "vary"; --vary ${seed} varies the same requests in the same way again.`);
}
