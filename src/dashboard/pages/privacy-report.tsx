import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { detailsOfGuest, isAbout } from '../../core/guest-report.ts';
import { PERSONAL_MEMBERS } from '../../core/personal-texts.ts';
import { type AuditEntry, call, type LogEntry, type ShownTicket } from '../api/http.ts';
import { useEventName } from '../api/lists.ts';
import { useMay } from '../api/use-api.tsx';
import { Failure } from '../components/page.tsx';
import { saveFile } from '../components/save-file.ts';
import { useDeskTexts } from '../i18n/desk-language.ts';

const ENTRIES_PER_PAGE = 1000;

/** Lets owners save what is stored about the guest of a ticket, as `privacy report --json` tells it (Art. 15 GDPR). */
export function PrivacyReport({ ticket }: { ticket: ShownTicket }) {
  const { tickets } = useDeskTexts();
  const owner = useMay('owner');
  const eventName = useEventName();
  const report = useMutation({
    mutationFn: () => reportOf(ticket, eventName(ticket.event)),
    onSuccess: (told) => {
      const text = `${JSON.stringify({ at: new Date().toISOString(), tickets: [told] }, null, 2)}\n`;
      const file = new Blob([text], { type: 'application/json' });
      saveFile(file, `privacy-report-${ticket.ticketId}.json`);
    },
  });
  if (!owner) return null;
  return (
    <>
      <Button variant="default" loading={report.isPending} onClick={() => report.mutate()}>
        {tickets.privacyReport}
      </Button>
      {report.error && <Failure error={report.error} />}
    </>
  );
}

async function reportOf(ticket: ShownTicket, eventName: string) {
  const { code: _, replaces, replacedBy, ...stored } = ticket;
  const scans = await scansOf(ticket.ticketId);
  const changes = await auditOf(ticket.ticketId);
  return {
    eventName,
    replaces,
    replacedBy,
    stored,
    personal: PERSONAL_MEMBERS.filter(
      (name) => name in stored && stored[name as keyof typeof stored],
    ),
    since: ticket.createdAt,
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
