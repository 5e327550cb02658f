import { isoTime } from '../../core/clock.ts';
import { counted } from '../../kit/counted.ts';
import { DAY_MS } from '../../kit/durations.ts';
import type { Finding, Findings } from './finding.ts';

const RENEW_BEFORE_DAYS = 30;

/** How long a certificate lasts. @param endsAt and `now` in milliseconds since 1970 UTC */
export function certificateEnd(tls: Findings, what: string, endsAt: number, now: number): Finding {
  const days = Math.floor((endsAt - now) / DAY_MS);
  const end = isoTime(endsAt);
  if (days < 0) {
    return tls.failed(`${what} expired at ${end}.`, 'Renew it: clients and devices refuse it now.');
  }
  if (days < RENEW_BEFORE_DAYS) {
    return tls.warning(
      `${what} expires in ${counted(days, 'day')}, at ${end}.`,
      'Renew it before then: after that clients and devices refuse it.',
    );
  }
  return tls.good(`${what} is valid for ${days} more days, until ${end}.`);
}
