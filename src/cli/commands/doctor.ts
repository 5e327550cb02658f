import { dirname } from 'node:path';
import { Command } from 'commander';
import type { Settings } from '../../config/settings.ts';
import { systemClock } from '../../config/system-clock.ts';
import { TicketscanError } from '../../core/errors.ts';
import { sanitizeForTerminal } from '../../kit/safe-text.ts';
import { keyringPath, STORE_SETTINGS } from '../../service/commands/access/store-access.ts';
import {
  chosenNames,
  isAllAddresses,
  isLoopback,
  namesOfServer,
} from '../../service/commands/serve/addresses.ts';
import { selfSignedPaths } from '../../service/commands/serve/certificate.ts';
import type { CliIo } from '../../terminal/io.ts';
import { readSecretValue } from '../../terminal/option-values.ts';
import { showResult } from '../../terminal/results.ts';
import { addSettings, readSettings } from '../../terminal/setting-options.ts';
import { caOption, readCa } from '../../terminal/trust-options.ts';
import { checkBaseUrl } from '../doctor/check-base-url.ts';
import { checkCardUrl, checkHeartUrl } from '../doctor/check-device-urls.ts';
import { checkKeyring } from '../doctor/check-keyring.ts';
import { checkNode } from '../doctor/check-node.ts';
import { checkPort } from '../doctor/check-port.ts';
import { checkSelfSigned } from '../doctor/check-self-signed.ts';
import { checkStore } from '../doctor/check-store.ts';
import { checkTlsFiles } from '../doctor/check-tls-files.ts';
import { type Finding, Findings, type Outcome } from '../doctor/finding.ts';

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
type DoctorSettings = Pick<Settings, (typeof SETTINGS)[number]>;

interface DoctorOptions {
  readonly baseUrl?: string;
  readonly cardUrl?: string;
  readonly heartUrl?: string;
  readonly ca?: string;
  readonly json?: boolean;
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
    .action(async (options: DoctorOptions) => {
      const findings = await examine(io, options);
      const ok = findings.every(({ outcome }) => outcome !== 'failed');
      showResult(io, options, { ok, findings }, findings.flatMap(linesOf));
      io.exit(ok ? 0 : 1);
    });
  return addSettings(doctor, SETTINGS);
}

async function examine(io: CliIo, options: DoctorOptions): Promise<Finding[]> {
  const settings = readSettings(SETTINGS, { ...options }, io);
  const { store, keyring, host, port } = settings;
  const baseUrl = urlFrom('--base-url', options.baseUrl, io);
  const cardUrl = urlFrom('--card-url', options.cardUrl, io);
  const heartUrl = urlFrom('--heart-url', options.heartUrl, io);
  const ca = readCa({ ...options }, io);
  const { findings: ofStore, tickets } = await checkStore(store);
  const now = systemClock.now();
  return [
    checkNode(process.version),
    ...ofStore,
    checkKeyring(keyringPath(store, keyring), tickets),
    await checkPort(host, port),
    ...checkCertificate(settings, baseUrl?.hostname, now),
    ...(baseUrl ? await checkBaseUrl(baseUrl, systemClock, ca) : [NO_BASE_URL]),
    cardUrl ? await checkCardUrl(cardUrl, ca) : NO_CARD_URL,
    heartUrl ? await checkHeartUrl(heartUrl, ca) : NO_HEART_URL,
  ];
}

/** Of the certificate that `serve` would use with these settings. @param named the host in `--base-url` */
function checkCertificate(
  settings: DoctorSettings,
  named: string | undefined,
  now: number,
): Finding[] {
  const { store, keyring, host, tlsCert, tlsKey, tlsSelfSigned } = settings;
  if (tlsSelfSigned && tlsCert === undefined) {
    const path = keyringPath(store, keyring);
    const kept = path === undefined ? undefined : selfSignedPaths(dirname(path)).cert;
    return checkSelfSigned(kept, namesOfServer(host, chosenNames(settings)), now);
  }
  const isOneAddress = !isLoopback(host) && !isAllAddresses(host);
  return checkTlsFiles({
    tlsCert,
    tlsKey,
    hostname: named ?? (isOneAddress ? host : undefined),
    now,
  });
}

const NO_BASE_URL = new Findings('base-url').skipped(
  'Not given.',
  'Add --base-url to test a service and compare clocks.',
);
const NO_CARD_URL = new Findings('card-url').skipped(
  'Not given.',
  'Add --card-url to call it as a device would.',
);
const NO_HEART_URL = new Findings('heart-url').skipped(
  'Not given.',
  'Add --heart-url to call it as a device would.',
);

/** The message does not contain the value, because it has a key. */
function urlFrom(option: string, given: string | undefined, io: CliIo): URL | undefined {
  if (given === undefined) return undefined;
  const url = URL.parse(readSecretValue(given, io));
  if (url && /^https?:$/.test(url.protocol)) return url;
  throw new TicketscanError(
    'usage',
    `${option} is not an http or https URL: give a complete one, such as https://scan.example.org.`,
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
