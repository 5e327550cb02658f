import type { Clock } from '../../core/clock.ts';
import { MINUTE_MS } from '../../kit/durations.ts';
import { withoutEndSlashes } from '../../service/http/scan-paths.ts';
import { type CallAnswer, CallFailure, call } from './call.ts';
import { certificateEnd } from './certificate-end.ts';
import { type Finding, Findings } from './finding.ts';

const reach = new Findings('base-url');
const tls = new Findings('base-url-tls');
const clock = new Findings('clock');

/** Windows and months depend on the clock: a person would notice this difference. */
const SKEW_FAILED_MS = MINUTE_MS;
const SKEW_WARNING_MS = 5000;
/** The Date header has no fractions of a second. */
const DATE_STEP_MS = 1000;

/** Whether a scan service answers at an address from here, with which certificate and which clock. */
export async function checkBaseUrl(baseUrl: URL, time: Clock, ca?: string): Promise<Finding[]> {
  try {
    const path = `${withoutEndSlashes(baseUrl.pathname)}/scan/validate`;
    const answer = await call(new URL(path, baseUrl), '{}', { ca });
    return [
      reached(baseUrl, answer),
      ...shown(answer, baseUrl, time.now()),
      ...clockOf(answer, time.now()),
    ];
  } catch (error) {
    if (error instanceof CallFailure) return [reach.failed(error.message, error.advice)];
    throw error;
  }
}

/** Without a key a scan service says 401 (section 5.2), and nothing is registered. */
function reached({ origin, pathname }: URL, { status, elapsedMs }: CallAnswer): Finding {
  // Without its query: the user may have given a Card URL, with its key.
  const shown = `${origin}${pathname}`;
  if (status === 401) {
    return reach.good(`A scan service answers at ${shown} after ${Math.round(elapsedMs)} ms.`);
  }
  return reach.failed(
    `${shown} answers ${status}, but without a key a scan service answers 401.`,
    'Give the base address of /scan/validate; a proxy in front must forward that path.',
  );
}

/** Whether a client would accept the certificate; no finding over plain HTTP. */
function shown({ certificate }: CallAnswer, { hostname }: URL, now: number): Finding[] {
  if (!certificate) return [];
  const { problem, otherNames, endsAt } = certificate;
  const end = [certificateEnd(tls, 'The certificate', endsAt, now)];
  if (otherNames !== null) {
    end.push(
      tls.failed(
        `The certificate is not for ${hostname}, but for ${otherNames}.`,
        'Use a name that it contains, or serve with a certificate for this one (--tls-name adds names to a self-signed one).',
      ),
    );
  }
  if (problem === null || end[0]?.outcome === 'failed') return end;
  const advice =
    'Clients refuse it unless they trust it: install the certificate there, or get one from a public authority.';
  return [...end, tls.warning(`The certificate is not trusted: ${problem}.`, advice)];
}

function clockOf({ dateMs, elapsedMs }: CallAnswer, now: number): Finding[] {
  if (dateMs === undefined) return [clock.skipped('The server does not send its time.')];
  // Its second began up to a second before; the answer was on its way for a part of the time.
  const apartMs = Math.max(
    0,
    Math.abs(now - elapsedMs / 2 - (dateMs + DATE_STEP_MS / 2)) - DATE_STEP_MS / 2 - elapsedMs / 2,
  );
  const seconds = Math.round(apartMs / 1000);
  const advice =
    'The clock of the server decides about tickets: synchronise both machines with NTP.';
  if (apartMs > SKEW_FAILED_MS) return [clock.failed(`The clocks are ${seconds} s apart.`, advice)];
  if (apartMs > SKEW_WARNING_MS)
    return [clock.warning(`The clocks are ${seconds} s apart.`, advice)];
  return [clock.good('Its clock agrees with the clock of this machine.')];
}
