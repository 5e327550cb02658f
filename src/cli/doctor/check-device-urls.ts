import { withoutKeys } from '../../kit/secrets.ts';
import { type CallAnswer, CallFailure, call } from './call.ts';
import { type Finding, Findings } from './finding.ts';

/** Requests of the controller of section 2.4; the card is empty, so that no ticket can match. */
const EMPTY_CARD = '{"Card":"","Serial":"ticketscan-doctor","Reader":0}';
const HEARTBEAT_KEY = 'ticketscan-doctor';
/** A Wait Time of 30, the lowest recommended value (section 7.3). */
const WAIT_MS = 3000;

const card = new Findings('card-url');
const heart = new Findings('heart-url');

/**
 * Calls a Card URL as a device would; nothing can be consumed: it validates an empty card.
 * @param ca PEM text of certificates to trust besides the usual ones
 */
export async function checkCardUrl(url: URL, ca?: string): Promise<Finding> {
  const asked = new URL(url);
  asked.pathname = asked.pathname.replace(/\/consume$/, '/validate');
  const problem = urlProblem(asked, /\/scan\/hw\/validate$/, card, '/scan/hw/consume?key=…');
  return problem ?? answerTo({ url: asked, body: EMPTY_CARD, ca }, card, judgeCard);
}

/** Sends one real heartbeat. @param ca as in `checkCardUrl` */
export async function checkHeartUrl(url: URL, ca?: string): Promise<Finding> {
  const problem = urlProblem(url, /\/scan\/hw\/heartbeat$/, heart, '/scan/hw/heartbeat?key=…');
  const body = JSON.stringify({ Key: HEARTBEAT_KEY, Serial: HEARTBEAT_KEY });
  return problem ?? answerTo({ url, body, ca }, heart, judgeHeart);
}

function urlProblem(url: URL, path: RegExp, of: Findings, wanted: string): Finding | undefined {
  if (!path.test(url.pathname)) {
    return of.failed(
      `The path ${withoutKeys(url.pathname)} is not a path for devices.`,
      `It ends with ${wanted}`,
    );
  }
  if (url.searchParams.getAll('key').length === 1) return undefined;
  return of.failed('The URL has no parameter "key", or more than one.', `It ends with ${wanted}`);
}

async function answerTo(
  { url, body, ca }: { url: URL; body: string; ca: string | undefined },
  of: Findings,
  judge: (answer: CallAnswer) => Finding,
): Promise<Finding> {
  try {
    const answer = await call(url, body, { ca, holdsKey: true });
    return refusal(answer, of) ?? judge(answer);
  } catch (error) {
    if (error instanceof CallFailure) return of.failed(error.message, error.advice);
    throw error;
  }
}

/** The checks of both URLs: the key, the limits, the path. */
function refusal({ status, text }: CallAnswer, of: Findings): Finding | undefined {
  if (status === 401 || text.includes('Kein Zugriff')) {
    return of.failed(
      'The service refuses the key in the URL.',
      'It must be an active key of type hardware: see ticketscan keys list, or create one with ticketscan keys create --type hardware.',
    );
  }
  if (status === 429 || text.includes('Zu viele Anfragen')) {
    return of.failed(
      'The key is over its limit.',
      'Wait, or raise the limit: ticketscan organisations edit.',
    );
  }
  if (status >= 500) {
    return of.failed(`The server answered ${status}.`, 'Check its log and /readyz.');
  }
  return undefined;
}

function judgeCard({ status, text, elapsedMs }: CallAnswer): Finding {
  const answer = objectIn(text);
  if ((status === 400 || status === 200) && answer['AcsRes'] === '0')
    return inTime(card, elapsedMs);
  return card.failed(
    `The answer to an empty card was ${status}, not a denial in the device's format.`,
    'Check that the address is that of the scan service, and proxies in between.',
  );
}

function judgeHeart({ status, text, elapsedMs }: CallAnswer): Finding {
  if (status === 200 && objectIn(text)['Key'] === HEARTBEAT_KEY) return inTime(heart, elapsedMs);
  return heart.failed(
    `The answer to a heartbeat was ${status}, without its Key.`,
    'Check that the address is that of the scan service, and proxies in between.',
  );
}

function inTime(of: Findings, elapsedMs: number): Finding {
  const text = `The key is accepted; the answer took ${Math.round(elapsedMs)} ms.`;
  if (elapsedMs < WAIT_MS) return of.good(text);
  return of.warning(
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
