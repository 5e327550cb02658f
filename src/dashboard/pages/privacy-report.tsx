import { Button } from '@mantine/core';
import { IconPrinter } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { endOfTicket } from '../../core/end-of-ticket.ts';
import { detailsOfGuest, isAbout } from '../../core/guest-report.ts';
import { PERSONAL_MEMBERS } from '../../core/personal-texts.ts';
import { DAY_MS } from '../../kit/durations.ts';
import { type AuditEntry, call, type LogEntry, type ShownTicket } from '../api/http.ts';
import { useEventName } from '../api/lists.ts';
import { useMay, useRead, useVenueName } from '../api/use-api.tsx';
import { detailsText, sentenceOf } from '../components/audit-texts.ts';
import { DialogButton, PlainModal } from '../components/dialogs.tsx';
import { Answered } from '../components/page.tsx';
import { saveFile } from '../components/save-file.ts';
import { Facts, useLeft } from '../components/ticket-values.tsx';
import { Name, TimeText } from '../components/values.tsx';
import { useDeskTexts } from '../i18n/desk-language.ts';
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
  const server = useRead('GET /server');
  const keepDays = server.data?.keepHoldersDays ?? null;
  const report = useQuery({
    queryKey: ['privacy-report', ticket, eventName, keepDays],
    queryFn: () => reportOf(ticket, eventName, keepDays),
    enabled: server.data !== undefined,
  });
  return (
    <PlainModal title={tickets.privacyReport} size="lg">
      <Answered asked={report}>{(told) => <Told report={told} />}</Answered>
    </PlainModal>
  );
}

type Report = Awaited<ReturnType<typeof reportOf>>;

/** The report in words: what tells of the guest first. */
function Told({ report }: { report: Report }) {
  const { details, general, privacy, tickets } = useDeskTexts();
  const { stored, personal, since, until, scans, changes } = report;
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

function ScanLine({
  scan: { at, operation, status, reason, direction, serial, takenBackBecause },
}: {
  scan: Report['scans'][number];
}) {
  const { log, outcomes, scanner } = useDeskTexts();
  const names: Record<string, string> = outcomes;
  const outcome = names[reason ?? status] ?? names[status] ?? status;
  return (
    <li>
      <TimeText at={at} /> {outcome}
      {direction !== null && ` (${log.directions[direction]})`}
      {operation === 'validate' && ` (${scanner.validate})`}
      {serial !== null && serial !== '' && (
        <>
          , <Name>{serial}</Name>
        </>
      )}
      {takenBackBecause !== null && (
        <>
          : <Name>{takenBackBecause}</Name>
        </>
      )}
    </li>
  );
}

function ChangeLine({ change: { at, act, details } }: { change: Report['changes'][number] }) {
  const texts = useDeskTexts();
  const formats = useFormats();
  const what = sentenceOf(texts.acts[act] ?? act, false).before;
  const more = detailsText(details, texts, formats);
  return (
    <li>
      <TimeText at={at} /> {what}
      {more !== '' && `: ${more}`}
    </li>
  );
}

/** The same file as `privacy report --json` writes. */
function saveReport({ at, ...told }: Report): void {
  const text = `${JSON.stringify({ at, tickets: [told] }, null, 2)}\n`;
  const file = new Blob([text], { type: 'application/json' });
  saveFile(file, `privacy-report-${told.stored.ticketId}.json`);
}

async function reportOf(ticket: ShownTicket, eventName: string, keepDays: number | null) {
  const { code: _, replaces, replacedBy, ...stored } = ticket;
  const scans = await scansOf(ticket.ticketId);
  const changes = await auditOf(ticket.ticketId);
  return {
    at: new Date().toISOString(),
    eventName,
    replaces,
    replacedBy,
    stored,
    personal: PERSONAL_MEMBERS.filter((name) => personalValue(stored, name)),
    since: ticket.createdAt,
    until: untilOf(ticket, keepDays),
    scans: scans.map(({ at, operation, outcome, reason, direction, serial, undo }) => ({
      at,
      operation,
      status: outcome,
      reason,
      direction: direction ?? null,
      serial,
      takenBackBecause: undo?.reason ?? null,
    })),
    changes: changes.map((entry) => ({
      at: entry.at,
      act: entry.act,
      details: detailsOfGuest(entry.details),
    })),
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
    found.push(...page.items.filter((entry) => isAbout(entry, ticket)));
    before = page.next;
  }
  return found.reverse();
}
