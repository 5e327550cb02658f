import { Badge } from '@mantine/core';
import { Link } from 'wouter';
import { type Event, type Key, queryOf } from '../api/http.ts';
import { useEvents, useKeys } from '../api/lists.ts';
import { useRead } from '../api/use-api.tsx';
import { Tile } from '../components/counts.tsx';
import { type Column, DataTable } from '../components/data-table.tsx';
import { Answered } from '../components/page.tsx';
import { Empty, PageHead } from '../components/page-head.tsx';
import { Facts } from '../components/ticket-values.tsx';
import { Name, StateBadge, TimeText } from '../components/values.tsx';
import { useDeskTexts } from '../i18n/desk-language.ts';
import { pageZone } from '../i18n/formats.ts';
import { useFormats } from '../i18n/language.tsx';
import { fieldFromTime } from '../i18n/time-fields.ts';
import { useHomeText } from './event-home.tsx';
import { daysOf } from './statistics.tsx';

/** One event: its numbers, the way to its tickets and scans, and the keys that scan for it. */
export function EventPage({ id }: { id: string }) {
  const { navigation, failures } = useDeskTexts();
  const asked = useEvents();
  return (
    <Answered asked={asked}>
      {({ items }) => {
        const event = items.find((one) => one.id === id);
        if (event) return <EventDetails event={event} />;
        return (
          <>
            <PageHead title={navigation.events} />
            <Empty text={failures.notFound} />
          </>
        );
      }}
    </Answered>
  );
}

function EventDetails({ event }: { event: Event }) {
  const { general, events, sites } = useDeskTexts();
  const homeText = useHomeText();
  const { id, name, createdAt, archivedAt } = event;
  return (
    <>
      <PageHead title={<Name>{name}</Name>}>
        {archivedAt !== null && (
          <Badge color="gray" variant="light">
            {events.archived}
          </Badge>
        )}
      </PageHead>
      <EventNumbers event={event} />
      <Facts
        facts={{
          [sites.decidedAt]: homeText(event),
          [events.id]: <code>{id}</code>,
          [general.created]: <TimeText at={createdAt} />,
        }}
      />
      <EventKeys eventId={id} />
    </>
  );
}

const REFRESH_MS = 30_000;

/** How many tickets there are, how many people are inside, and how many came in a week; each leads to what it counts. */
function EventNumbers({ event: { id, tickets, inside } }: { event: Event }) {
  const { navigation, overview, statistics } = useDeskTexts();
  const formats = useFormats();
  const { from, to } = daysOf('week');
  const input = { from, to, by: 'day', event: id, timeZone: pageZone() } as const;
  const totals = useRead('GET /statistics/scans', input, { everyMs: REFRESH_MS }).data?.totals;
  const among = { event: id, from: `${from}T00:00`, until: `${to}T23:59` };
  const week = statistics.periods.week;
  const numberOf = (count: number | undefined) =>
    count === undefined ? '…' : formats.number(count);
  return (
    <dl className="totals four event-totals">
      <Tile
        title={navigation.tickets}
        href={`/tickets${queryOf({ event: id })}`}
        value={formats.number(tickets.total)}
      />
      <Tile
        title={overview.inside}
        href={`/log/history${queryOf({ event: id, from: fieldFromTime(inside.resetAt) })}`}
        value={formats.number(inside.people)}
      />
      <Tile
        title={`${overview.admitted}, ${week}`}
        href={`/log/history${queryOf({ ...among, outcome: 'consumed' })}`}
        value={numberOf(totals?.admitted)}
      />
      <Tile
        title={`${overview.denied}, ${week}`}
        href={`/statistics${queryOf({ event: id, period: 'week' })}`}
        value={numberOf(totals?.denied)}
      />
    </dl>
  );
}

/** The keys whose scans the event takes. */
function EventKeys({ eventId }: { eventId: string }) {
  const { keys, events } = useDeskTexts();
  const asked = useKeys();
  const columns = useKeyColumns();
  return (
    <>
      <h2>{keys.title}</h2>
      <Answered asked={asked}>
        {({ items }) => (
          <DataTable
            compact
            label={keys.title}
            empty={events.noKey}
            rows={items.filter((key) => key.events === 'all' || key.events.includes(eventId))}
            keyOf={({ id }) => id}
            columns={columns}
          />
        )}
      </Answered>
    </>
  );
}

function useKeyColumns(): Column<Key>[] {
  const { keys, general } = useDeskTexts();
  return [
    {
      title: general.name,
      rest: true,
      narrow: 'narrow-first',
      cell: ({ name }) => (
        <Link href="/gates" className="row-link">
          <Name>{name}</Name>
        </Link>
      ),
    },
    { title: keys.type, narrow: 'narrow-cut', cell: ({ type }) => keys[type] },
    { title: keys.lastUsed, cell: ({ lastUsedAt }) => <TimeText at={lastUsedAt} /> },
    {
      title: general.state,
      narrow: 'narrow-first',
      cell: ({ state }) => <StateBadge good={state === 'active'} text={keys[state]} />,
    },
  ];
}
