import { HEARTBEAT_PATH } from '../../scan/http/scan-paths.ts';
import type { Members } from './draft.ts';
import { ofMembers, pick, shuffled, type Variation } from './variation.ts';

/** Section 2.3: these results carry the fields of their sample only. */
const REASONS_WITHOUT_TICKET: readonly unknown[] = [
  'invalid_ticket',
  'event_not_allowed',
  'missing_ticket_code',
];
/** What section 2.3 shows of a rejected result. */
const REJECTED_MEMBERS: readonly string[] = ['valid', 'status', 'reason', 'message'];
const TIME = /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/;
const OFFSETS_MIN = [0, 60, 120, -330, 345] as const;

const MESSAGES = [
  'OK?',
  'Prüfung abgeschlossen: „Grüß Gott“',
  'Zugang am Tor 3 <West> & 4 "Ost" \\ Süd',
  'Ticket controllato — 検札済み 🎫',
  `A long text, as some systems write it: ${'see the notes of the operator; '.repeat(8)}`,
] as const;
const NAMES = ['Willkommen', 'Grüß Gott', 'Äöü ÄÖ ß', 'Bitte eintreten!', ''] as const;
/** Notes of situations for which section 7.3 states none. */
const FREE_NOTES: Readonly<Record<string, string>> = {
  'Ticket storniert': 'Gesperrt',
  'Zu viele Anfragen': 'Bitte warten',
  'Noch nicht benutzt': 'Zuerst hinein',
};
const OPEN_SECONDS = ['1', '3', '10', '30'] as const;

/** Differences in what a JSON body says, where the specification leaves it free. */
export const BODY_VARIATIONS = [
  ofMembers('member-order', 'members in another order, also those of `holder`', (members, random) =>
    inOtherOrder(members, random),
  ),
  ofMembers(
    'more-members',
    'members that section 2.3 does not name, in grants and in refusals of tickets that exist',
    (members) => {
      const { valid, status, reason } = members;
      const isFree =
        valid === true || (status === 'rejected' && !REASONS_WITHOUT_TICKET.includes(reason));
      if (!isFree) return undefined;
      return {
        ...members,
        requestId: 'a1b2c3',
        event: { id: 'main', zones: ['A', 'B'] },
        note: null,
      };
    },
  ),
  ofMembers('other-message', 'another text in `message` of a scan result', (members, random) =>
    isScanResult(members) ? { ...members, message: pick(MESSAGES, random) } : undefined,
  ),
  {
    ...ofMembers(
      'bare-rejection',
      'cancelled, expired and not yet valid tickets without their fields',
      (members) => {
        if (members['status'] !== 'rejected' || members['ticketId'] === undefined) return undefined;
        const kept = Object.entries(members).filter(([name]) => REJECTED_MEMBERS.includes(name));
        return Object.fromEntries(kept);
      },
    ),
    isTrait: true,
  },
  ofMembers(
    'time-offset',
    'times with an offset from UTC: `+02:00`, `-05:30`',
    (members, random) => {
      const minutes = pick(OFFSETS_MIN, random);
      return withTimes(members, (iso) => atOffset(iso, minutes));
    },
  ),
  ofMembers(
    'time-precision',
    'the same times in microseconds, or with as few digits as they need',
    (members, random) => {
      const isLong = random() < 0.5;
      return withTimes(members, (iso) =>
        isLong
          ? iso.replace(/\.\d{3}(?!\d)/, (fraction) => `${fraction}000`)
          : iso.replace(/\.\d{3}(?!\d)/, (fraction) => String(Number(fraction)).slice(1)),
      );
    },
  ),
  ofMembers('display-name', 'another Name on a grant, or an empty one', (members, random) =>
    members['AcsRes'] === '1' ? { ...members, Name: pick(NAMES, random) } : undefined,
  ),
  ofMembers('door-time', 'another Time on a grant', (members, random) =>
    members['AcsRes'] === '1' ? { ...members, Time: pick(OPEN_SECONDS, random) } : undefined,
  ),
  {
    ...ofMembers('other-note', 'another Note where section 7.3 states none', (members) => {
      const Note = FREE_NOTES[String(members['Note'])];
      return Note === undefined ? undefined : { ...members, Note };
    }),
    isTrait: true,
  },
  {
    name: 'heartbeat-echo',
    meaning: "the query's `key` as `Key` in the answer to a heartbeat, whatever the body says",
    vary(draft, _random, { url = '' }) {
      if (!url.startsWith(HEARTBEAT_PATH) || draft.members?.['Key'] === undefined) return undefined;
      const key = new URLSearchParams(url.slice(url.indexOf('?') + 1)).get('key');
      return { ...draft, members: { Key: key } };
    },
  },
  {
    name: 'free-status',
    isTrait: true,
    meaning:
      'an HTTP status that the specification leaves open: 400 for `invalid_ticket`, at devices 400 and 404 for unknown codes',
    vary(draft) {
      const status = draft.status === 200 && freeStatus(draft.members ?? {});
      return status ? { ...draft, status } : undefined;
    },
  },
] as const satisfies readonly Variation[];

/** Section 7.2 leaves the status of a forged code open, and 7.3 those of denials at devices. */
function freeStatus({ reason, AcsRes, Note }: Members): number | undefined {
  if (reason === 'invalid_ticket') return 400;
  if (AcsRes !== '0') return undefined;
  return { 'Ungültiges Ticket': 400, 'Ticket nicht gefunden': 404 }[String(Note)];
}

function isScanResult({ valid, status }: Members): boolean {
  return typeof valid === 'boolean' && typeof status === 'string';
}

function inOtherOrder(members: Members, random: () => number): Members | undefined {
  const entries = Object.entries(members);
  if (entries.length < 2) return undefined;
  const mixed = shuffled(entries, random).map(([name, value]) => {
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return [name, isObject ? (inOtherOrder(value as Members, random) ?? value) : value];
  });
  return Object.fromEntries(mixed);
}

/** Undefined where there is no time, or where it is written so already. */
function withTimes(members: Members, write: (iso: string) => string): Members | undefined {
  const times = Object.entries(members).flatMap(([name, time]) => {
    const isTime = typeof time === 'string' && TIME.test(time) && write(time) !== time;
    return isTime ? [[name, write(time)]] : [];
  });
  return times.length === 0 ? undefined : { ...members, ...Object.fromEntries(times) };
}

/** The same moment, as the clocks show it in another zone; fractions of a second stay as they are written. */
function atOffset(iso: string, minutes: number): string {
  const [, fraction = ''] = /(\.\d+)?Z$/.exec(iso) ?? [];
  const local = new Date(Date.parse(iso) + minutes * 60_000).toISOString().slice(0, 19);
  const sign = minutes < 0 ? '-' : '+';
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  const two = (part: number) => String(part).padStart(2, '0');
  return `${local}${fraction}${sign}${two(hours)}:${two(rest)}`;
}
