import { systemClock } from '../../config/system-clock.ts';
import type { Clock } from '../../core/clock.ts';
import { withoutEndSlashes } from '../../kit/base-address.ts';
import { MINUTE_MS } from '../../kit/durations.ts';
import { withoutKeys } from '../../kit/secrets.ts';
import { type CallAnswer, CallFailure, call } from './call.ts';
import {
  type Check,
  type Finding,
  type Found,
  failed,
  good,
  named,
  runChecks,
  skipped,
  warning,
} from './finding.ts';
import { certificateEnd } from './machine-checks.ts';

/** Windows and months depend on the clock: a person would notice this difference. */
const SKEW_FAILED_MS = MINUTE_MS;
const SKEW_WARNING_MS = 5000;
/** The Date header has no fractions of a second. */
const DATE_STEP_MS = 1000;

/** A scan service that answered. */
interface Reached {
  readonly baseUrl: URL;
  readonly answer: CallAnswer;
  /** Milliseconds since 1970 UTC. */
  readonly now: number;
}

const CHECKS: readonly Check<Reached>[] = [
  { name: 'base-url', run: checkStatus },
  { name: 'base-url-tls', run: checkShownCertificate },
  { name: 'clock', run: checkClock },
];

/** Whether a scan service answers at an address from here, with which certificate and which clock. */
export async function checkBaseUrl(
  baseUrl: URL,
  ca?: string,
  time: Clock = systemClock,
): Promise<Finding[]> {
  try {
    const path = `${withoutEndSlashes(baseUrl.pathname)}/scan/validate`;
    const answer = await call(new URL(path, baseUrl), '{}', { ca, usesProxies: true });
    return await runChecks(CHECKS, { baseUrl, answer, now: time.now() });
  } catch (error) {
    if (error instanceof CallFailure) return named('base-url', failed(error.message, error.advice));
    throw error;
  }
}

/** Judges the answer to a request without a key: a scan service says 401 (section 5.2), and nothing is registered. */
function checkStatus({ baseUrl, answer: { status, elapsedMs } }: Reached): Found {
  // Without its query: the user may have given a Card URL, with its key.
  const shown = `${baseUrl.origin}${baseUrl.pathname}`;
  if (status === 401) {
    return good(`A scan service answers at ${shown} after ${Math.round(elapsedMs)} ms.`);
  }
  return failed(
    `${shown} answers ${status}, but without a key a scan service answers 401.`,
    'Give the base address of /scan/validate; a proxy in front must forward that path.',
  );
}

/** Whether a client would accept the certificate; no finding over plain HTTP. */
function checkShownCertificate({ baseUrl, answer, now }: Reached): Found[] {
  if (!answer.certificate) return [];
  const { problem, otherNames, endsAt } = answer.certificate;
  const end = [certificateEnd('The certificate', endsAt, now)];
  if (otherNames !== null) {
    end.push(
      failed(
        `The certificate is not for ${baseUrl.hostname}, but for ${otherNames}.`,
        'Use a name that it contains, or serve with a certificate for this one (--tls-name adds names to a self-signed one).',
      ),
    );
  }
  if (problem === null || end[0]?.outcome === 'failed') return end;
  const advice =
    'Clients refuse it unless they trust it: install the certificate there, or get one from a public authority. To check the rest as a client that trusts it, name its file with --ca.';
  return [...end, warning(`The certificate is not trusted (${problem}).`, advice)];
}

function checkClock({ answer: { dateMs, elapsedMs }, now }: Reached): Found {
  if (dateMs === undefined) return skipped('The server does not send its time.');
  // Its second began up to a second before; the answer was on its way for a part of the time.
  const apartMs = Math.max(
    0,
    Math.abs(now - elapsedMs / 2 - (dateMs + DATE_STEP_MS / 2)) - DATE_STEP_MS / 2 - elapsedMs / 2,
  );
  if (apartMs <= SKEW_WARNING_MS) return good('Its clock agrees with the clock of this machine.');
  return (apartMs > SKEW_FAILED_MS ? failed : warning)(
    `The clocks are ${Math.round(apartMs / 1000)} s apart.`,
    'The clock of the server decides about tickets: synchronise both machines with NTP.',
  );
}

/** Requests of the controller of section 2.4; the card is empty, so that no ticket can match. */
const EMPTY_CARD = '{"Card":"","Serial":"ticketscan-doctor","Reader":0}';
const HEARTBEAT_KEY = 'ticketscan-doctor';
/** A Wait Time of 30, the lowest recommended value (section 7.3). */
const WAIT_MS = 3000;

/**
 * Calls a Card URL as a device would; nothing can be consumed: it validates an empty card.
 * @param ca PEM text of certificates to trust besides the usual ones
 */
export async function checkCardUrl(url: URL, ca?: string): Promise<Found> {
  const asked = new URL(url);
  asked.pathname = asked.pathname.replace(/\/consume$/, '/validate');
  const problem = urlProblem(asked, /\/scan\/hw\/validate$/, '/scan/hw/consume?key=…');
  return problem ?? answerTo({ url: asked, body: EMPTY_CARD, ca }, judgeCard);
}

/** Sends one real heartbeat. @param ca as in `checkCardUrl` */
export async function checkHeartUrl(url: URL, ca?: string): Promise<Found> {
  const problem = urlProblem(url, /\/scan\/hw\/heartbeat$/, '/scan/hw/heartbeat?key=…');
  const body = JSON.stringify({ Key: HEARTBEAT_KEY, Serial: HEARTBEAT_KEY });
  return problem ?? answerTo({ url, body, ca }, judgeHeart);
}

function urlProblem(url: URL, path: RegExp, wanted: string): Found | undefined {
  if (!path.test(url.pathname)) {
    return failed(
      `The path ${withoutKeys(url.pathname)} is not a path for devices.`,
      `It ends with ${wanted}`,
    );
  }
  if (url.searchParams.getAll('key').length === 1) return undefined;
  return failed('The URL has no parameter "key", or more than one.', `It ends with ${wanted}`);
}

async function answerTo(
  { url, body, ca }: { url: URL; body: string; ca: string | undefined },
  judge: (answer: CallAnswer) => Found,
): Promise<Found> {
  try {
    const answer = await call(url, body, { ca, holdsKey: true, usesProxies: true });
    return refusal(answer) ?? judge(answer);
  } catch (error) {
    if (error instanceof CallFailure) return failed(error.message, error.advice);
    throw error;
  }
}

/** The checks of both URLs: the key, the limits, the path. */
function refusal({ status, text }: CallAnswer): Found | undefined {
  if (status === 401 || text.includes('Kein Zugriff')) {
    return failed(
      'The service refuses the key in the URL.',
      'It must be an active key of type hardware: see ticketscan keys list, or create one with ticketscan keys create --type hardware.',
    );
  }
  if (status === 429 || text.includes('Zu viele Anfragen')) {
    return failed(
      'The key is over its limit.',
      'Wait, or raise the limit: ticketscan organisations edit.',
    );
  }
  if (status >= 500) {
    return failed(`The server answered ${status}.`, 'Check its log and /readyz.');
  }
  return undefined;
}

function judgeCard({ status, text, elapsedMs }: CallAnswer): Found {
  const answer = objectIn(text);
  if ((status === 400 || status === 200) && answer['AcsRes'] === '0') return inTime(elapsedMs);
  return failed(
    `The answer to an empty card was ${status}, not a denial in the device's format.`,
    'Check that the address is that of the scan service, and proxies in between.',
  );
}

function judgeHeart({ status, text, elapsedMs }: CallAnswer): Found {
  if (status === 200 && objectIn(text)['Key'] === HEARTBEAT_KEY) return inTime(elapsedMs);
  return failed(
    `The answer to a heartbeat was ${status}, without its Key.`,
    'Check that the address is that of the scan service, and proxies in between.',
  );
}

function inTime(elapsedMs: number): Found {
  const text = `The key is accepted; the answer took ${Math.round(elapsedMs)} ms.`;
  if (elapsedMs < WAIT_MS) return good(text);
  return warning(
    text,
    'That is longer than a Wait Time of 30: set the device to 50, and check the network.',
  );
}

function objectIn(text: string): Record<string, unknown> {
  try {
    return { ...(JSON.parse(text) as object) };
  } catch {
    return {};
  }
}
