import { randomBytes } from 'node:crypto';
import { existsSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { isLoopbackUrl } from '../config/addresses.ts';
import type { Settings } from '../config/settings.ts';
import { systemClock } from '../config/system-clock.ts';
import { isConflict, messageOf, TicketscanError } from '../core/errors.ts';
import { shownTime } from '../core/time-zone.ts';
import { Passwords } from '../features/accounts/passwords.ts';
import { type FirstAccount, makeFirstAccount } from '../features/accounts/rules.ts';
import type { AdministeredStore } from '../features/actor.ts';
import { storeOption } from '../features/store/opening.ts';
import { zoneOf } from '../features/time-zone.ts';
import { fileFailure } from '../kit/failures.ts';
import { makeFolder, readBounded, writeForOwner } from '../kit/files.ts';
import { isSamePlace } from '../kit/places.ts';
import { isStreamLike, refuseReplacing } from '../kit/result-files.ts';
import { describeStoreUrl, filesOfStore } from '../stores/open-store.ts';
import type { Store } from '../stores/store.ts';
import type { CliIo } from '../terminal/io.ts';
import type { RunningServer } from './run-server.ts';

/** Prints the addresses of a server: one JSON line for machines, else lines for people. */
export async function announce(
  io: CliIo,
  server: RunningServer,
  { json, vary }: { json?: boolean; vary?: number },
  store: string,
): Promise<void> {
  const { url, urls, testToken, certificate, metricsUrl } = server;
  if (json) {
    io.out(JSON.stringify({ ...listening(server), vary }));
    return;
  }
  io.out(`ticketscan is listening on ${url}`);
  if (urls.length > 1) io.out(`From other machines: ${urls.slice(1).join(' ')}`);
  if (certificate) announceCertificate(io, certificate);
  if (metricsUrl !== undefined) io.out(`Metrics for Prometheus: ${metricsUrl}`);
  if (testToken !== undefined)
    io.out(`Test token of this run, for the header x-test-token: ${testToken}`);
  if (io.stdoutIsTty) await drawAddress(io, server);
  io.out(`Store: ${describeStoreUrl(store)}. Stop with Ctrl-C.`);
}

/** The first line of `--json`. JSON leaves out members that are undefined. */
function listening(server: RunningServer): object {
  const { url, urls, testControls, testToken, certificate, metricsUrl } = server;
  return {
    event: 'listening',
    url,
    urls,
    dashboard: `${url}/`,
    certificateSha256: certificate?.fingerprint,
    metrics: metricsUrl,
    testControls: testControls || undefined,
    testToken: testControls ? testToken : undefined,
  };
}

function announceCertificate(
  io: CliIo,
  { fingerprint, isSelfSigned, path }: NonNullable<RunningServer['certificate']>,
): void {
  io.out(`Certificate SHA-256: ${fingerprint}`);
  if (!isSelfSigned) return;
  const clients = path === undefined ? '' : ` Clients trust it with --ca ${path}.`;
  io.out(
    `It is self-signed: browsers warn, so compare the fingerprint before you continue.${clients}`,
  );
}

/** Draws a QR code for a phone, if another machine can open the dashboard. */
async function drawAddress(io: CliIo, { publicUrl }: RunningServer): Promise<void> {
  if (isLoopbackUrl(publicUrl)) return;
  // It is loaded only if somebody sees it.
  const { renderQr } = await import('../tickets/codes/render-qr.ts');
  const dashboard = `${publicUrl}/`;
  const format = io.env['NO_COLOR'] ? 'text' : 'terminal';
  io.out(`${renderQr(dashboard, { format })}\nDashboard: ${dashboard}`);
}

/**
 * Makes an account on a store that has none, and shows how to sign in, once.
 * @param file a file that only its owner can read; undefined writes to stderr. A service must not do that, because many may read its log
 */
export async function showFirstSignIn(
  io: CliIo,
  store: AdministeredStore,
  storeUrl: string,
  urls: readonly string[],
  file: string | undefined,
): Promise<void> {
  const first = await firstSignIn(io, store, storeUrl);
  if (!first) return;
  if (!first.isCertain) io.err(UNCERTAIN);
  if (file !== undefined) {
    writeSignIn(io, file, first, { storeUrl, urls });
    return;
  }
  io.err(`First sign-in at ${urls[0]}/  name: ${first.name}  password: ${first.password}`);
  if (storeUrl === 'memory:') {
    io.err('The password is shown only once.');
    return;
  }
  io.err('The password is shown only once. Change it in the dashboard, or create another account:');
  io.err(`  ${createAnAccount(storeUrl)}`);
}

const UNCERTAIN =
  'The database did not say whether it has created the first account. If its sign-in is refused, restart the server: it creates another.';

const createAnAccount = (storeUrl: string) =>
  `ticketscan accounts create --name NAME --role owner${storeOption(storeUrl)}`;

/**
 * Refuses, before anything is made, a file for the first sign-in that no result may replace, or that the server itself needs. If the store
 * does not exist yet, it also refuses any other existing file.
 * @param used the files of the server, whether they exist or not
 * @throws TicketscanError `usage`
 */
export function checkSignInFile(
  { firstSignIn: file, store: storeUrl }: Pick<Settings, 'firstSignIn' | 'store'>,
  used: readonly string[],
): void {
  if (file === undefined) return;
  forSignIn(file, () => refuseReplacing(file, { force: true }));
  const same = used.find((one) => isSamePlace(one, file));
  if (same !== undefined) {
    throw new TicketscanError(
      'usage',
      `--first-sign-in ${file} cannot be written: the server uses ${same} itself. Name another file.`,
    );
  }
  const [main] = filesOfStore(storeUrl);
  const isNew = storeUrl === 'memory:' || (main !== undefined && !existsSync(main));
  if (isNew) forSignIn(file, () => refuseLoss(file));
}

/** Refuses the file only if it would be written. A server whose store has accounts starts in any case. @throws what `checkSignInFile` throws */
export async function checkSignInOn(
  store: Pick<Store, 'list'>,
  file: string | undefined,
): Promise<void> {
  if (file === undefined || (await store.list('account', { limit: 1 })).length > 0) return;
  forSignIn(file, () => refuseLoss(file));
}

function forSignIn(file: string, check: () => void): void {
  try {
    check();
  } catch (error) {
    throw new TicketscanError(
      'usage',
      `--first-sign-in ${file} cannot be written: ${fileFailure(error)}.`,
    );
  }
}

/** Matches a file that an earlier start wrote. */
const SIGN_IN = /^(?:address: \S+\n)+name: .+\npassword: \S+\n/;

/** Refuses to replace a file, unless it is empty or an earlier sign-in. @throws what `refuseReplacing` throws */
function refuseLoss(file: string): void {
  const found = statSync(file, { throwIfNoEntry: false });
  const isEarlier = found?.isFile() && (found.size === 0 || SIGN_IN.test(readBytes(file)));
  refuseReplacing(file, { force: isEarlier, cannotForce: true });
}

const readBytes = (file: string) => readBounded(file).toString('latin1');

function writeSignIn(
  io: CliIo,
  file: string,
  { name, password }: FirstAccount,
  { storeUrl, urls }: { readonly storeUrl: string; readonly urls: readonly string[] },
): void {
  const lines = [
    ...urls.map((url) => `address: ${url}/`),
    `name: ${name}`,
    `password: ${password}`,
  ];
  const advice = 'Change the password in the dashboard, then delete this file.';
  try {
    refuseLoss(file);
    // A link of this name is replaced, not the file to which it leads.
    if (!isStreamLike(file)) rmSync(file, { force: true });
    makeFolder(dirname(file));
    writeForOwner(file, `${[...lines, '', advice].join('\n')}\n`);
    io.err(`The first sign-in is in ${file}, which only its owner can read.`);
  } catch (error) {
    io.err(`The first sign-in could not be written to ${file}: ${fileFailure(error)}.`);
    const command = `ticketscan accounts password ${name}${storeOption(storeUrl)}`;
    io.err(`Set a password to sign in with: ${command}`);
  }
}

/**
 * Makes an account on a store that has none, and prints how to sign in. A failure is printed on stderr and stops nothing.
 * @returns undefined where there are accounts, or none could be made
 */
export async function firstSignIn(
  io: CliIo,
  store: AdministeredStore,
  storeUrl: string,
): Promise<FirstAccount | undefined> {
  const deps = { store, clock: systemClock, random: randomBytes, passwords: new Passwords() };
  try {
    return await makeFirstAccount(deps);
  } catch (error) {
    // Two servers started on an empty store: the other one was faster and shows its own.
    if (isConflict(error)) return undefined;
    // The server still answers the gates.
    io.err(`The first account could not be created: ${messageOf(error)}`);
    io.err(`Create it yourself, or restart the server: ${createAnAccount(storeUrl)}`);
    return undefined;
  }
}

/** Several servers write to one log: their clocks differ by less. */
const CLOCKS_DIFFER_MS = 1000;

/**
 * The warning if the clock of this machine is before the newest log entry; undefined if it is not. Both times are in the
 * zone of the only organisation, else in that of the machine.
 * @param now milliseconds since 1970 UTC
 */
export async function clockWarning(
  store: Pick<Store, 'searchLog' | 'list'>,
  now: number,
): Promise<string | undefined> {
  const [newest] = (await store.searchLog({ limit: 1, searchMax: 1 })).entries;
  if (!newest || newest.at <= now + CLOCKS_DIFFER_MS) return undefined;
  const zone = await zoneOf(store);
  const [shown, logged] = [shownTime(now, zone), shownTime(newest.at, zone)];
  return `The clock of this machine shows ${shown}, before the newest entry of the scan log, ${logged} (${zone}).`;
}

/** The advice for this warning. */
export const CLOCK_ADVICE =
  'Set the clock right: by a clock that is behind, gates refuse tickets as not yet valid, and expired ones enter.';
