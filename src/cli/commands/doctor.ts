import { dirname } from 'node:path';
import { Command } from 'commander';
import {
  chosenNames,
  isAllAddresses,
  isLoopback,
  namesOfServer,
  selfSignedPaths,
} from '../../config/addresses.ts';
import { traceSettings } from '../../config/load-settings.ts';
import type { Settings } from '../../config/settings.ts';
import { systemClock } from '../../config/system-clock.ts';
import { TicketscanError } from '../../core/errors.ts';
import { keyringPath, STORE_SETTINGS } from '../../features/store/opening.ts';
import { refusedAddress } from '../../kit/secrets.ts';
import { sanitizeForTerminal, shortened } from '../../kit/text.ts';
import type { CliIo } from '../../terminal/io.ts';
import {
  addSettings,
  caOption,
  isElsewhere,
  readCa,
  readSecretValue,
  readSettings,
} from '../../terminal/options.ts';
import { showResult } from '../../terminal/results.ts';
import type { Check, Finding, Found, Outcome } from '../doctor/finding.ts';
import { good, runChecks, skipped } from '../doctor/finding.ts';
import {
  checkKeyring,
  checkNode,
  checkPort,
  checkSelfSigned,
  checkTlsFiles,
} from '../doctor/machine-checks.ts';
import { checkBaseUrl, checkCardUrl, checkHeartUrl } from '../doctor/service-checks.ts';
import { checkStore } from '../doctor/store-checks.ts';

const EXAMPLES = `
Examples:
  ticketscan doctor                                              this machine: Node, store, keyring, port
  ticketscan doctor --base-url https://scan.example.org          also whether the service can be reached from here
  ticketscan doctor --card-url env:CARD_URL --heart-url env:HEART_URL   as a device would call them

Nothing is consumed: doctor calls the Card URL with an empty card, to validate, which adds one line to the scan log. The Heart
URL gets one real heartbeat, from a device "ticketscan-doctor". No key is ever printed, or sent to a server whose certificate is
not trusted. Exit code 0 when nothing failed, 1 when something did.`;

const SETTINGS = [
  ...STORE_SETTINGS,
  'host',
  'port',
  'tlsCert',
  'tlsKey',
  'tlsSelfSigned',
  'tlsName',
] as const;

/** The report that `--json` prints. */
interface DoctorReport {
  readonly ok: boolean;
  readonly findings: readonly Finding[];
}

/** The facts that the checks examine. */
interface Facts {
  readonly settings: Pick<Settings, (typeof SETTINGS)[number]>;
  /** Where the settings come from, as `config show` says. */
  readonly config: string;
  readonly store: Awaited<ReturnType<typeof checkStore>>;
  readonly urls: Readonly<Record<UrlName, URL | undefined>>;
  /** PEM text of certificates to trust besides the usual ones. */
  readonly ca: string | undefined;
}

type UrlName = 'base-url' | 'card-url' | 'heart-url';

/** The checks, in the order in which their findings are shown. */
const CHECKS: readonly Check<Facts>[] = [
  { name: 'node', run: () => checkNode(process.version) },
  { name: 'config', run: ({ config }) => good(config) },
  { name: 'store', run: ({ store }) => store.findings },
  {
    name: 'keyring',
    run: ({ settings, store }) =>
      checkKeyring(keyringPath(settings.store, settings.keyring), store),
  },
  { name: 'port', run: ({ settings }) => checkPort(settings.host, settings.port) },
  { name: 'tls', run: checkCertificate },
  urlCheck('base-url', 'to test a service and compare clocks', checkBaseUrl),
  urlCheck('card-url', 'to call it as a device would', checkCardUrl),
  urlCheck('heart-url', 'to call it as a device would', checkHeartUrl),
];

function urlCheck(
  name: UrlName,
  why: string,
  check: (url: URL, ca: string | undefined) => Promise<Found | Found[]>,
): Check<Facts> {
  const notGiven = skipped('Not given.', `Add --${name} ${why}.`);
  return { name, run: ({ urls, ca }) => (urls[name] ? check(urls[name], ca) : notGiven) };
}

/** `ticketscan doctor`: checks everything that a working gate needs, and says what to do. */
export function command(io: CliIo): Command {
  const doctor = new Command('doctor')
    .description(
      'Check Node, store, keyring, clock, port, certificate and devices, and say what to do.',
    )
    .option('--base-url <url>', 'a scan service to test from here')
    .option('--card-url <url>', "a device's Card URL; env:NAME and file:PATH are read")
    .option('--heart-url <url>', "a device's Heart URL; env:NAME and file:PATH are read")
    .addOption(caOption())
    .option('--json', '{"ok", "findings": [{"check", "outcome", "finding", "advice"}]}')
    .addHelpText('after', EXAMPLES)
    .action(async (options: { ca?: string; json?: boolean }) => {
      const findings = await examine(io, options);
      const ok = findings.every(({ outcome }) => outcome !== 'failed');
      const report: DoctorReport = { ok, findings };
      showResult(io, options, report, findings.flatMap(linesOf));
      io.exit(ok ? 0 : 1);
    });
  return addSettings(doctor, SETTINGS);
}

async function examine(io: CliIo, options: Readonly<Record<string, unknown>>): Promise<Finding[]> {
  const settings = readSettings(SETTINGS, options, io);
  const urls = {
    'base-url': urlFrom('--base-url', options['baseUrl'], io, shownAddress(options['baseUrl'])),
    'card-url': urlFrom('--card-url', options['cardUrl'], io),
    'heart-url': urlFrom('--heart-url', options['heartUrl'], io),
  };
  const ca = readCa(options, io);
  const config = configText(options, io);
  const store = await checkStore(settings.store, keyringPath(settings.store, settings.keyring));
  return runChecks(CHECKS, { settings, urls, ca, config, store });
}

function configText(options: Readonly<Record<string, unknown>>, io: CliIo): string {
  const { config } = options;
  const { configFile, settings } = traceSettings({
    flags: { ...options },
    environment: io.env,
    configFile: typeof config === 'string' ? config : undefined,
  });
  const set = settings.filter(({ source }) => source !== 'default');
  const names = set.map(({ name, setBy, source }) => `${name} by ${setBy ?? source}`);
  const file = `Configuration file: ${configFile ?? 'none'}.`;
  return names.length === 0
    ? `${file} Every setting has its default.`
    : `${file} Set: ${names.join(', ')}.`;
}

/** Checks the certificate that `serve` would use with these settings. */
function checkCertificate({ settings, urls }: Facts): Found[] {
  const { store, keyring, host, tlsCert, tlsKey, tlsSelfSigned } = settings;
  const now = systemClock.now();
  if (tlsSelfSigned && tlsCert === undefined) {
    const path = keyringPath(store, keyring);
    const kept = path === undefined ? undefined : selfSignedPaths(dirname(path)).cert;
    return checkSelfSigned(kept, namesOfServer(host, chosenNames(settings)), now);
  }
  const isOneAddress = !isLoopback(host) && !isAllAddresses(host);
  const hostname = urls['base-url']?.hostname ?? (isOneAddress ? host : undefined);
  return checkTlsFiles({ tlsCert, tlsKey, hostname, now });
}

/** The end of a message, such as `, not "nope"`: the given address, if it has no key in it. */
function shownAddress(given: unknown): string {
  const text = String(given);
  return isElsewhere(text) ? '' : `, not "${shortened(refusedAddress(text))}"`;
}

/** @param shown what was given; empty where a key is in it */
function urlFrom(option: string, given: unknown, io: CliIo, shown = ''): URL | undefined {
  if (typeof given !== 'string') return undefined;
  const url = URL.parse(readSecretValue(given, io));
  if (url && /^https?:$/.test(url.protocol)) return url;
  throw new TicketscanError(
    'usage',
    `${option} must be an http or https URL, complete, such as https://scan.example.org${shown}.`,
  );
}

const MARKS: Readonly<Record<Outcome, string>> = {
  good: 'ok   ',
  warning: 'WARN ',
  failed: 'FAIL ',
  skipped: 'skip ',
};
const NAME_WIDTH = 12;

function linesOf({ check, outcome, finding, advice }: Finding): string[] {
  const line = `${MARKS[outcome]} ${check.padEnd(NAME_WIDTH)}  ${sanitizeForTerminal(finding)}`;
  if (advice === null) return [line];
  return [line, `${' '.repeat(MARKS.good.length + NAME_WIDTH + 3)}→ ${advice}`];
}
