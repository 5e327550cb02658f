import { Scan } from '../cases/scan.ts';
import { CONSUMES, type Exchange, endpointAt, VALIDATES } from '../facts/exchange.ts';
import { TransportFailure, UnreachableError } from '../facts/failures.ts';
import { read } from '../facts/reading.ts';
import { codeIn } from '../law/shown.ts';
import { keyFor } from '../samples/samples.ts';
import type { Run } from './run-state.ts';

/** So many tickets that each consume endpoint let in first are shown again. */
const TICKETS = 4;
/** A server may put itself to rest when nobody asks. Longer than connections are kept open by default. */
const SILENCE_MS = 6000;

/**
 * Shows tickets that were used at the beginning of a run once more at its end: a use stays taken for as long as the run lasts. The cases that
 * compare every answer judge what comes.
 * @param isPatient also whether the first request after some silence is answered
 */
export async function lookAgain(run: Run, isPatient: boolean): Promise<void> {
  const codes = CONSUMES.flatMap((endpoint) => firstUsedAt(endpoint, run));
  const scan = new Scan(run, { id: 'looked at again', level: 'stated' });
  const places = VALIDATES.filter((endpoint) => scan.hasKey(keyFor(endpoint)));
  try {
    if (isPatient && codes.length > 0) await run.pause(SILENCE_MS);
    for (const code of codes) for (const endpoint of places) await scan.ask(endpoint, code);
  } catch (error) {
    // whether requests are answered is what other cases judge
    if (!(error instanceof TransportFailure) && !(error instanceof UnreachableError)) throw error;
  }
}

/** The codes that an endpoint let in first, of tickets whose uses this run alone takes: gates share permanent cards. */
function firstUsedAt(endpoint: (typeof CONSUMES)[number], { exchanges, answers }: Run): string[] {
  const isUse = (exchange: Exchange) =>
    endpointAt(exchange.request) === endpoint &&
    read(exchange.answer).outcome === 'granted' &&
    answers.isRightOutcome(exchange) &&
    answers.of(exchange)?.kind !== 'permanent';
  const codes = exchanges
    .filter((exchange) => exchange.level === 'stated' && !exchange.later && isUse(exchange))
    .flatMap(({ request }) => codeIn(request, endpoint) ?? []);
  return [...new Set(codes)].slice(0, TICKETS);
}
