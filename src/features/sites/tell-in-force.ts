import { setTimeout as sleep } from 'node:timers/promises';
import { askedAgain } from '../../core/in-force.ts';
import { inZone, shownTime } from '../../core/time-zone.ts';
import { SECOND_MS } from '../../kit/durations.ts';
import { sanitizeForTerminal } from '../../kit/text.ts';
import type { CommonOptions } from '../../terminal/command.ts';
import type { DataAccess } from '../data-access.ts';
import { zoneOf } from '../time-zone.ts';
import type { InForce } from './in-force.ts';
import { getInForce } from './operations.ts';
import { isHeardLately } from './site-records.ts';

/** A site with a line has a change within two or three seconds. */
const WAIT_MS = 6 * SECOND_MS;
const LOOK_MS = 300;

/**
 * Says where a change is in force: `In force here; Pool North since …; Pool South not yet: no line since …`. Waits a little for sites that
 * have a line. With `--json` it stands beside the result, not in it.
 * @param inForce of the answer to the change; undefined where no site needs it
 */
export async function tellInForce(
  access: Pick<DataAccess, 'io' | 'call' | 'clock' | 'list' | 'local'>,
  inForce: InForce | undefined,
  { json }: Pick<CommonOptions, 'json'>,
): Promise<void> {
  if (!inForce) return;
  const { io, call, clock } = access;
  const until = clock.monotonicMs() + WAIT_MS;
  let latest = inForce;
  const isAwaited = (site: SiteInForce) => site.since === null && hasLine(site, clock.now());
  while (latest.sites.some(isAwaited) && clock.monotonicMs() < until) {
    await sleep(LOOK_MS);
    latest = await call(getInForce, askedAgain(inForce));
  }
  const text = inForceText(latest, clock.now(), await zoneOf(access));
  if (json) io.err(text);
  else io.out(sanitizeForTerminal(text));
}

type SiteInForce = InForce['sites'][number];

function hasLine({ heardAt }: SiteInForce, now: number): boolean {
  return heardAt !== null && isHeardLately(heardAt, now);
}

function inForceText({ sites }: InForce, now: number, zone: string): string {
  const parts = sites.map((site) => {
    const { name, since, heardAt } = site;
    if (since !== null) return `${name} since ${shownTime(since, zone)}`;
    if (heardAt === null) return `${name} not yet: it was never heard`;
    const heard = shownTime(heardAt, zone);
    return hasLine(site, now)
      ? `${name} not yet: it was heard ${heard}`
      : `${name} not yet: no line since ${heard}`;
  });
  return inZone(['In force here', ...parts].join('; '), zone);
}
