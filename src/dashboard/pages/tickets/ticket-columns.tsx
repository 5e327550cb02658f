import { Checkbox } from '@mantine/core';
import { Link } from 'wouter';
import { isNearItsEnd } from '../../../core/limits.ts';
import { useNameOf } from '../../api/lists.ts';
import type { Ticket } from '../../api/types.ts';
import { TicketBadge } from '../../components/badges.tsx';
import type { Column } from '../../components/data-table.tsx';
import { Name } from '../../components/name.tsx';
import { TimeText } from '../../components/time-text.tsx';
import { useFormats } from '../../i18n/formats.ts';
import { useTexts } from '../../i18n/language.tsx';

interface Selection {
  readonly selected: ReadonlySet<string>;
  readonly setSelected: (selected: ReadonlySet<string>) => void;
}

/** The columns of the list of tickets; with boxes to tick for roles that can change them. */
export function useTicketColumns(
  rows: readonly Ticket[],
  selection: Selection | undefined,
): Column<Ticket>[] {
  const { tickets, general } = useTexts();
  const formats = useFormats();
  const eventName = useNameOf('events');
  const box = useSelectColumn(rows, selection);
  return [
    ...box,
    {
      title: tickets.ticket,
      cell: ({ ticketId }) => (
        <Link href={`/tickets/${ticketId}`} className="mono">
          {ticketId}
        </Link>
      ),
    },
    { title: tickets.event, cell: ({ event }) => <Name>{eventName(event)}</Name> },
    { title: tickets.type, cell: ({ kind }) => tickets[kind] },
    {
      title: general.state,
      cell: ({ state }) => <TicketBadge state={state} />,
    },
    {
      title: tickets.uses,
      end: true,
      cell: (ticket) => {
        const { usesConsumed, usesAllowed } = ticket;
        const uses = tickets.usesOf(usesConsumed, usesAllowed);
        const text = uses.replace(/\d{4,}/g, (n) => formats.number(+n));
        return isNearItsEnd(ticket) ? `${text} (${tickets.nearItsEndShort})` : text;
      },
    },
    {
      title: tickets.holder,
      cell: ({ holder }) =>
        holder && <Name>{`${holder.firstName} ${holder.lastName}`.trim()}</Name>,
    },
    { title: general.created, cell: ({ createdAt }) => <TimeText at={createdAt} /> },
  ];
}

function useSelectColumn(
  rows: readonly Ticket[],
  selection: Selection | undefined,
): Column<Ticket>[] {
  const { tickets } = useTexts();
  if (!selection || rows.length === 0) return [];
  const { selected, setSelected } = selection;
  const cell = ({ ticketId }: Ticket) => (
    <Checkbox
      aria-label={tickets.select(ticketId)}
      checked={selected.has(ticketId)}
      onChange={(change) =>
        setSelected(changed(selected, [ticketId], change.currentTarget.checked))
      }
    />
  );
  const ids = rows.map(({ ticketId }) => ticketId);
  const heading = (
    <Checkbox
      aria-label={tickets.selectAll}
      checked={ids.every((id) => selected.has(id))}
      onChange={(change) => setSelected(changed(selected, ids, change.currentTarget.checked))}
    />
  );
  return [{ title: '', heading, cell }];
}

/** The selection with these tickets in it, or without them. */
function changed(
  selected: ReadonlySet<string>,
  ids: readonly string[],
  wanted: boolean,
): Set<string> {
  const next = new Set(selected);
  for (const id of ids) {
    if (wanted) next.add(id);
    else next.delete(id);
  }
  return next;
}
