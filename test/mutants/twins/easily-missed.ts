import type { Outcome, Side } from '../reference/parts.ts';
import type { Alteration } from '../reference/server.ts';
import { device, rest, type Twin } from './twin.ts';

const HOUR_MS = 3_600_000;

/** Changes one in so many of the answers that are chosen. */
function oneIn(
  count: number,
  isChosen: (body: Record<string, unknown>) => boolean,
  change: (body: Record<string, unknown>) => Record<string, unknown>,
) {
  let seen = 0;
  return (body: Record<string, unknown>) => {
    if (!isChosen(body)) return body;
    seen += 1;
    return seen % count === 0 ? change(body) : body;
  };
}

/** Every time of a REST body, so many hours later and with another end. */
function shifted(hours: number, zone: string, names: readonly string[]): Alteration {
  return rest((body) =>
    Object.fromEntries(
      Object.entries(body).map(([name, value]) =>
        names.includes(name) && typeof value === 'string'
          ? [name, new Date(Date.parse(value) + hours * HOUR_MS).toISOString().replace('Z', zone)]
          : [name, value],
      ),
    ),
  );
}

/** Reads a code in its own way before it is verified. */
const reading =
  (read: (code: string) => string): Alteration =>
  (parts) => ({ verify: (code, side, action) => parts.verify(read(code), side, action) });

/** Fails for some codes as an exception that nobody catches would. */
const failing =
  (isBad: (code: string) => boolean): Alteration =>
  (parts) => ({
    verify(code, side, action) {
      if (isBad(code)) throw new Error('out of range');
      return parts.verify(code, side, action);
    },
  });

/** Lets in, used up or not, whoever finds so many scans of the same ticket before them in a tenth of a second. */
function lockWithRoomFor(places: number): Alteration {
  return (parts) => {
    const came = new Map<string, number[]>();
    return {
      refuse(ticket, action, side, key): Outcome | undefined {
        const now = performance.now();
        const others = (came.get(ticket.id) ?? []).filter((at) => now - at < 100);
        came.set(ticket.id, [...others, now]);
        const refused = parts.refuse(ticket, action, side, key);
        const isCrowd = action === 'consume' && others.length >= places;
        return isCrowd && refused?.status === 'exhausted' ? undefined : refused;
      },
    };
  };
}

/** Keeps a refusal for some seconds, and then lets in what it did not look at again. */
function refusalsEndAfter(ms: number): Alteration {
  return (parts) => {
    const since = new Map<string, number>();
    return {
      refuse(ticket, action, side: Side, key): Outcome | undefined {
        const refused = parts.refuse(ticket, action, side, key);
        if (refused?.reason !== 'ticket_cancelled') return refused;
        const first = since.get(ticket.id) ?? performance.now();
        since.set(ticket.id, first);
        return performance.now() - first > ms ? undefined : refused;
      },
    };
  };
}

/** Faults that show only in few answers, in few places, or after a while. */
export const EASILY_MISSED_TWINS: readonly Twin[] = [
  {
    name: 'local-time-without-a-zone',
    section: '2.3',
    fault: 'shows the local time of a zone two hours ahead, and no zone',
    alter: shifted(2, '', ['scannedAt', 'validFrom', 'validUntil']),
  },
  {
    name: 'local-ends-without-a-zone',
    section: '2.3',
    fault: 'shows the window of a ticket in local time, and no zone',
    alter: shifted(1, '', ['validFrom', 'validUntil']),
  },
  {
    name: 'scanned-at-of-an-hour-ago',
    section: '2.3',
    fault: 'takes the time of one consume in nine from a clock that is an hour late',
    alter: rest(
      oneIn(
        9,
        (body) => 'scannedAt' in body,
        (body) => ({
          ...body,
          scannedAt: new Date(Date.parse(String(body['scannedAt'])) - HOUR_MS).toISOString(),
        }),
      ),
    ),
  },
  {
    name: 'grants-without-a-window',
    section: '2.3',
    fault: 'leaves the window out of one grant in eleven',
    alter: rest(
      oneIn(
        11,
        (body) => body['valid'] === true,
        ({ validFrom: _, validUntil: __, ...body }) => body,
      ),
    ),
  },
  {
    name: 'door-shut-now-and-then',
    section: '2.4',
    fault: 'says Time "0" in one grant of 25',
    alter: device(
      oneIn(
        25,
        (body) => body['AcsRes'] === '1',
        (body) => ({ ...body, Time: '0' }),
      ),
    ),
  },
  {
    name: 'hours-of-grace',
    section: '2.3',
    fault: 'lets in two hours before the beginning and two hours after the end',
    alter: (parts) => ({
      refuse(ticket, action, side, key) {
        const at = (time: string | null, hours: number) =>
          time && new Date(Date.parse(time) + hours * HOUR_MS).toISOString();
        const wider = {
          ...ticket,
          validFrom: at(ticket.validFrom, -2),
          validUntil: at(ticket.validUntil, 2),
        };
        return parts.refuse(wider, action, side, key);
      },
    }),
  },
  {
    name: 'spaces-skipped',
    section: '2.2',
    fault: 'takes blanks and line breaks out of a code',
    alter: reading((code) => code.replace(/\s/g, '')),
  },
  {
    name: 'foreign-characters-skipped',
    section: '2.2',
    fault: 'takes what is no letter, digit, dot, hyphen or underscore out of a code',
    alter: reading((code) => code.replace(/[^\w.-]/g, '')),
  },
  {
    name: 'equals-signs-skipped',
    section: '2.2',
    fault: 'takes `=` out of a signature, wherever it is',
    alter: reading((code) => code.replaceAll('=', '')),
  },
  {
    name: 'hyphens-skipped-in-identifiers',
    section: '2.2',
    fault: 'takes hyphens out of an identifier',
    alter: reading((code) => {
      const [prefix = '', id = '', ...signature] = code.split('.');
      return [prefix, id.replaceAll('-', ''), ...signature].join('.');
    }),
  },
  {
    name: 'failing-for-long-codes',
    section: '7.1',
    fault: 'answers 500 to a code of more than 1,500 characters',
    alter: failing((code) => code.length > 1500),
  },
  {
    name: 'failing-outside-of-ascii',
    section: '7.1',
    fault: 'answers 500 to a code with characters outside of ASCII',
    alter: failing((code) => /[^\0-\x7f]/.test(code) && code.length > 20),
  },
  {
    name: 'failing-for-emoji',
    section: '7.1',
    fault: 'answers 500 to a code with characters outside of the basic plane',
    alter: failing((code) => /[\u{10000}-\u{10ffff}]/u.test(code)),
  },
  {
    name: 'long-codes-not-found',
    section: '2.2',
    fault: 'answers 404 to a code that is longer than its column',
    alter: (parts) => ({
      verify: (code, side, action) =>
        code.length > 255 ? 'main-too-long' : parts.verify(code, side, action),
    }),
  },
  {
    name: 'long-keys-cut',
    section: '4.5',
    fault: 'echoes the first 32 characters of a value',
    alter: (parts) => ({
      heartbeatBody: (incoming) => ({
        Key: String((parts.heartbeatBody(incoming) as { Key: unknown }).Key).slice(0, 32),
      }),
    }),
  },
  {
    name: 'full-waiting-room',
    section: '3.2',
    fault: 'locks a ticket for sixteen who wait, and not for more',
    alter: lockWithRoomFor(16),
  },
  {
    name: 'uses-come-back',
    section: '3.2',
    fault: 'gives a use back four seconds after it',
    alter: (parts) => ({
      register(ticket, side, key) {
        void parts.register(ticket, side, key);
        setTimeout(() => {
          ticket.usesConsumed -= 1;
        }, 4000).unref();
      },
    }),
  },
  {
    name: 'refusals-end',
    section: '3.2',
    fault: 'lets a cancelled ticket in four seconds after it was refused',
    alter: refusalsEndAfter(4000),
  },
  {
    name: 'unknown-out-of-scope',
    section: '5',
    fault: 'finds no event for a ticket that does not exist, and answers 403 to a scoped key',
    alter: (parts) => ({
      inScope: (key, id, side, action) =>
        parts.inScope(key, id, side, action) && (key.events === 'all' || !!parts.find(id)),
    }),
  },
];
