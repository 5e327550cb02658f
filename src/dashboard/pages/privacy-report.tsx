import { Button } from '@mantine/core';
import { IconPrinter } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Fragment } from 'react';
import { endOfTicket } from '../../core/end-of-ticket.ts';
import type { GatePlace } from '../../core/gate-name.ts';
import { editedMembers, storedAboutGuest, ticketsIn } from '../../core/guest-report.ts';
import { PERSONAL_MEMBERS } from '../../core/personal-texts.ts';
import { DAY_MS } from '../../kit/durations.ts';
import { type AuditEntry, call, type LogEntry, type ShownTicket } from '../api/http.ts';
import { useEventName, useGateName } from '../api/lists.ts';
import { useMay, useRead, useVenueName } from '../api/use-api.tsx';
import { detailsText, detailText, labelOf, sentenceOf } from '../components/audit-texts.ts';
import { DialogButton, PlainModal } from '../components/dialogs.tsx';
import { Answered } from '../components/page.tsx';
import { saveFile } from '../components/save-file.ts';
import { Facts, useLeft } from '../components/ticket-values.tsx';
import { Name, TimeText } from '../components/values.tsx';
import { useDeskTexts } from '../i18n/desk-language.ts';
import type { DeskTexts } from '../i18n/desk-texts.ts';
import type { Formats } from '../i18n/formats.ts';
import { useFormats } from '../i18n/language.tsx';

const ENTRIES_PER_PAGE = 1000;

/** Lets owners read, print and save what is stored about the guest of a ticket, as `privacy report` tells it (Art. 15 GDPR). */
export function PrivacyReport({ ticket }: { ticket: ShownTicket }) {
  const { tickets } = useDeskTexts();
  if (!useMay('owner')) return null;
  return (
    <DialogButton variant="default" dialog={<ReportDialog ticket={ticket} />}>
      {tickets.privacyReport}
    </DialogButton>
  );
}

function ReportDialog({ ticket }: { ticket: ShownTicket }) {
  const { tickets } = useDeskTexts();
  const eventName = useEventName()(ticket.event);
  const gateName = useGateName();
  const server = useRead('GET /server');
  const keepDays = server.data?.keepHoldersDays ?? null;
  const asked = useQuery({
    queryKey: ['privacy-report', ticket],
    queryFn: () => storedOf(ticket.ticketId),
    enabled: server.data !== undefined,
  });
  return (
    <PlainModal title={tickets.privacyReport} size="lg">
      <Answered asked={asked}>
        {(stored) => <Told report={reportOf(ticket, stored, { eventName, keepDays, gateName })} />}
      </Answered>
    </PlainModal>
  );
}

type Report = ReturnType<typeof reportOf>;

/** The report in words: what tells of the guest first. */
function Told({ report }: { report: Report }) {
  const { details, general, privacy, tickets } = useDeskTexts();
  const { stored, personal, since, until, held, scans, changes } = report;
  const formats = useFormats();
  const isWhole = held.length === 1 && held[0]?.from === stored.createdAt;
  const times = held.map(({ from, until: end }) =>
    privacy.heldFrom(formats.dateTime(from), end === null ? null : formats.dateTime(end)),
  );
  const about = personal.map((name) => [
    details[name],
    <Value key={name} of={personalValue(stored, name)} />,
  ]);
  return (
    <div className="privacy-report">
      <Head report={report} />
      <h3>{privacy.guest}</h3>
      {personal.length === 0 && <p>{privacy.nothing}</p>}
      <Facts
        facts={{
          ...Object.fromEntries(about),
          [privacy.held]: isWhole ? undefined : times.join(', '),
          [privacy.since]: <TimeText at={since} />,
          [privacy.until]: <TimeText at={until} otherwise={privacy.untilErased} />,
        }}
      />
      <h3>{tickets.ticket}</h3>
      <AboutTicket report={report} />
      <h3>{tickets.history}</h3>
      {scans.length === 0 && <p>{general.none}</p>}
      <ul className="report-lines">
        {[...scans.entries()].map(([number, scan]) => (
          <ScanLine key={number} scan={scan} />
        ))}
      </ul>
      <h3>{privacy.changes}</h3>
      {changes.length === 0 && <p>{general.none}</p>}
      <ul className="report-lines">
        {[...changes.entries()].map(([number, change]) => (
          <ChangeLine key={number} change={change} />
        ))}
      </ul>
      <p className="dimmed small">{privacy.besides}</p>
      <p className="small for-staff">{privacy.lookFirst}</p>
      <div className="form-buttons">
        <Button variant="default" onClick={() => saveReport(report)}>
          {privacy.save}
        </Button>
        <Button onClick={() => window.print()} leftSection={<IconPrinter size={18} aria-hidden />}>
          {privacy.print}
        </Button>
      </div>
    </div>
  );
}

/** Whose report it is, about which ticket, and when it was made. */
function Head({ report: { at, eventName, stored } }: { report: Report }) {
  const { privacy } = useDeskTexts();
  const venue = useVenueName();
  return (
    <p>
      {venue && (
        <>
          <strong>
            <Name>{venue}</Name>
          </strong>
          <br />
        </>
      )}
      {privacy.about(eventName)} <span className="mono">{stored.ticketId}</span>
      <br />
      <span className="dimmed">
        {privacy.madeAt} <TimeText at={at} />
      </span>
    </p>
  );
}

type Stored = Omit<ShownTicket, 'code' | 'replaces' | 'replacedBy'>;
type PersonalValue = ShownTicket['holder'] | string | boolean | undefined;

/** The members that tell of a guest have the same names in the answer of the server. */
function personalValue(stored: Stored, name: (typeof PERSONAL_MEMBERS)[number]): PersonalValue {
  return stored[name as keyof Stored] as PersonalValue;
}

/** A name, a text, or a mark. */
function Value({ of }: { of: PersonalValue }) {
  const { tickets } = useDeskTexts();
  if (of === true) return tickets.marked;
  if (!of) return '–';
  return <Name>{typeof of === 'string' ? of : `${of.firstName} ${of.lastName}`.trim()}</Name>;
}

function AboutTicket({ report: { eventName, stored, replaces, replacedBy } }: { report: Report }) {
  const { details, lists, tickets } = useDeskTexts();
  const left = useLeft();
  const time = (name: 'validFrom' | 'validUntil' | 'lastConsumedAt' | 'cancelledAt') => ({
    [details[name] ?? name]: stored[name] === null ? undefined : <TimeText at={stored[name]} />,
  });
  return (
    <Facts
      facts={{
        [lists.columns.ticketId]: <span className="mono">{stored.ticketId}</span>,
        [tickets.event]: <Name>{eventName}</Name>,
        [tickets.type]: tickets[stored.kind],
        [tickets.uses]: left(stored),
        ...time('validFrom'),
        ...time('validUntil'),
        ...time('lastConsumedAt'),
        ...time('cancelledAt'),
        [tickets.batch]: stored.batch ?? undefined,
        [tickets.replaces]: replaces ?? undefined,
        [tickets.replacedBy]: replacedBy ?? undefined,
      }}
    />
  );
}

function ScanLine({ scan }: { scan: Report['scans'][number] }) {
  const { log, privacy, scanner } = useDeskTexts();
  const { dateTime } = useFormats();
  const { at, operation, direction, gate, serial, byHand, repeated } = scan;
  const { takenBack, takesBack, takenBackBecause } = scan;
  const outcome = useOutcome();
  if (takesBack) {
    const use = takesBack.at === null ? privacy.earlierUse : dateTime(takesBack.at);
    return (
      <li>
        <TimeText at={at} /> <Name>{privacy.takesBack(use, takenBackBecause ?? '')}</Name>
      </li>
    );
  }
  const notes = [
    direction === 'in' && log.directions.in,
    byHand && privacy.byHand,
    operation === 'validate' && scanner.validate,
    repeated && privacy.repeated,
    takenBack?.at && privacy.takenBack(dateTime(takenBack.at)),
  ].filter(Boolean);
  const device = serial && !gate?.includes(serial) ? serial : null;
  const places = [gate, device].filter((place) => place !== null);
  return (
    <li>
      <TimeText at={at} /> {outcome(scan)}
      {notes.length > 0 && ` (${notes.join(', ')})`}
      {places.map((place) => (
        <Fragment key={place}>
          , <Name>{place}</Name>
        </Fragment>
      ))}
    </li>
  );
}

/** What came of a scan; a way out lets nobody in. */
function useOutcome(): (scan: Report['scans'][number]) => string {
  const { outcomes, privacy } = useDeskTexts();
  const names: Record<string, string> = outcomes;
  return ({ reason, status, direction }) => {
    const outcome = names[reason ?? status] ?? names[status] ?? status;
    if (direction !== 'out') return outcome;
    const isLetOut = status === 'consumed' || status === 'validated';
    return isLetOut ? privacy.wayOut : `${privacy.wayOut}: ${outcome}`;
  };
}

function ChangeLine({ change }: { change: Report['changes'][number] }) {
  const texts = useDeskTexts();
  const formats = useFormats();
  const what = sentenceOf(texts.acts[change.act] ?? change.act, false).before;
  const more = editText(change, texts, formats) || detailsText(change.details, texts, formats);
  return (
    <li>
      <TimeText at={change.at} /> {what}
      {more !== '' && `: ${more}`}
    </li>
  );
}

/** What an edit changed, in words; empty for every other change. */
function editText(
  change: Report['changes'][number],
  texts: DeskTexts,
  formats: Pick<Formats, 'dateTime' | 'number'>,
): string {
  const { privacy } = texts;
  const textOf = (name: string, value: unknown) => {
    if (value === undefined) return name === 'holder' ? privacy.otherName : privacy.otherText;
    if (name !== 'holder' || typeof value !== 'object' || value === null)
      return detailText(name, value, texts, formats);
    const { firstName, lastName } = value as NonNullable<ShownTicket['holder']>;
    return `${firstName} ${lastName}`.trim();
  };
  return editedMembers(change)
    .map(({ name, before, after }) =>
      privacy.changed(labelOf(name, after, texts), textOf(name, before), textOf(name, after)),
    )
    .join('; ');
}

/** The same file as `privacy report --json` writes. */
function saveReport({ at, ...told }: Report): void {
  const text = `${JSON.stringify({ at, tickets: [told] }, null, 2)}\n`;
  const file = new Blob([text], { type: 'application/json' });
  saveFile(file, `privacy-report-${told.stored.ticketId}.json`);
}

interface Around {
  readonly eventName: string;
  readonly keepDays: number | null;
  readonly gateName: (place: GatePlace) => string;
}

/** What the server has about a ticket, now. */
async function storedOf(ticketId: string) {
  const scans = await scansOf(ticketId);
  const changes = await auditOf(ticketId);
  return {
    at: new Date().toISOString(),
    scans: scans.map(({ outcome, ...scan }) => ({
      ...scan,
      at: Date.parse(scan.at),
      status: outcome,
    })),
    changes: changes.map((entry) => ({ ...entry, at: Date.parse(entry.at) })),
  };
}

function reportOf(
  ticket: ShownTicket,
  { at, scans, changes }: Awaited<ReturnType<typeof storedOf>>,
  { eventName, keepDays, gateName }: Around,
) {
  const { code: _, replaces, replacedBy, ...stored } = ticket;
  const { holder } = ticket;
  const about = storedAboutGuest(holder, {
    ticket: { holder, createdAt: Date.parse(ticket.createdAt) },
    scans,
    changes,
    gateName,
  });
  return {
    at,
    eventName,
    replaces,
    replacedBy,
    stored,
    personal: PERSONAL_MEMBERS.filter((name) => personalValue(stored, name)),
    present: true,
    since: about.held[0]?.from ?? ticket.createdAt,
    until: untilOf(ticket, keepDays),
    ...about,
  };
}

/** When what tells of the guest is erased by itself; null where nothing says so. */
function untilOf(ticket: ShownTicket, keepDays: number | null): string | null {
  const time = (at: string | null) => (at === null ? null : Date.parse(at));
  const { usesConsumed, usesAllowed, cancelledAt, validUntil, lastConsumedAt } = ticket;
  const end = endOfTicket({
    usesConsumed,
    usesAllowed,
    cancelledAt: time(cancelledAt),
    validUntil: time(validUntil),
    lastConsumedAt: time(lastConsumedAt),
  });
  if (end === null || keepDays === null) return null;
  return new Date(end + keepDays * DAY_MS).toISOString();
}

/** Oldest first. */
async function scansOf(ticket: string): Promise<LogEntry[]> {
  const found: LogEntry[] = [];
  let before: number | null | undefined;
  while (before !== null) {
    const page = await call('GET /log', {
      ticket,
      limit: ENTRIES_PER_PAGE,
      ...(before !== undefined && { before }),
    });
    found.push(...page.items);
    before = page.next;
  }
  return found.reverse();
}

/** The changes of a ticket, oldest first. */
async function auditOf(ticket: string): Promise<AuditEntry[]> {
  const found: AuditEntry[] = [];
  let before: number | null | undefined;
  while (before !== null) {
    const page = await call('GET /audit-log', {
      limit: ENTRIES_PER_PAGE,
      ...(before !== undefined && { before }),
    });
    found.push(...page.items.filter((entry) => ticketsIn(entry).includes(ticket)));
    before = page.next;
  }
  return found.reverse();
}
