import { useRef } from 'react';
import { Link } from 'wouter';
import { queryOf, type Statistics } from '../api/http.ts';
import { useEvents, useKeys } from '../api/lists.ts';
import { useMayCreate } from '../api/site-status.ts';
import { useMay, useRead } from '../api/use-api.tsx';
import {
  busiestOf,
  CountChart,
  CountFigure,
  CountList,
  ReasonList,
  scansOf,
  Tile,
  useCountColumn,
} from '../components/counts.tsx';
import { type Column, DataTable } from '../components/data-table.tsx';
import { ConfirmButton } from '../components/dialogs.tsx';
import { Answered, BackupNote, RefusalHint } from '../components/page.tsx';
import { PageHead } from '../components/page-head.tsx';
import { partOf } from '../components/part.tsx';
import { LiveState, type LiveView, SmallScans, useLiveFeed } from '../components/scans.tsx';
import { Name, TimeText } from '../components/values.tsx';
import { useDeskTexts } from '../i18n/desk-language.ts';
import { useFormats } from '../i18n/language.tsx';
import { fieldFromTime } from '../i18n/time-fields.ts';

const REFRESH_MS = 2000;

/** Whether the gates work: scans a minute, admitted and denied, by gate, as it happens. */
export function OverviewPage() {
  const { navigation, overview } = useDeskTexts();
  const statistics = useRead('GET /statistics', { minutes: 60 }, { everyMs: REFRESH_MS });
  const feed = useLiveFeed();
  return (
    <>
      <PageHead title={navigation.overview}>
        <LiveState feed={feed} />
      </PageHead>
      <RefusalHint />
      <BackupNote overdue />
      {useMayCreate('owner') && <WhileNew />}
      <Answered asked={statistics}>
        {(answer) => (
          <div className="overview">
            <Totals statistics={answer} />
            <PeopleInside inside={answer.inside} />
            <MinuteFigure minutes={answer.minutes} />
            <GateList gates={answer.byGate} from={hourOf(answer)} />
            <ReasonList
              title={overview.byReason}
              reasons={answer.byReason}
              among={{ from: hourOf(answer) }}
            />
            <LatestScans feed={feed} />
          </div>
        )}
      </Answered>
      <BackupNote overdue={false} />
    </>
  );
}

const FirstSteps = partOf(() => import('./first-steps.tsx').then((module) => module.FirstSteps), {
  isQuiet: true,
});

/** The first steps, until there are an event, a key, a ticket and a scan. What the last one made is still shown. */
function WhileNew() {
  const events = useEvents().data?.items;
  const keys = useKeys().data?.items;
  const log = useRead('GET /log', { limit: 1 });
  const scans = log.data?.items;
  const wasNew = useRef(false);
  // What is kept from an earlier visit says nothing of the guest who came since.
  if (!events || !keys || !scans || (!wasNew.current && log.isFetching)) return null;
  // A log may have been pruned since.
  const isScanned = scans.length > 0 || keys.some(({ lastUsedAt }) => lastUsedAt !== null);
  wasNew.current ||=
    keys.length === 0 || !isScanned || events.every(({ tickets }) => tickets.total === 0);
  return wasNew.current && <FirstSteps events={events} keys={keys} isScanned={isScanned} />;
}

/** The beginning of the minutes that are counted, as the log takes it. */
function hourOf({ minutes: [first] }: Statistics): string {
  return fieldFromTime(first?.at);
}

/** Four numbers of one moment in large figures, readable across a room; each leads to what it counts. What may be an alarm comes first. */
function Totals({ statistics }: { statistics: Statistics }) {
  const { overview } = useDeskTexts();
  const formats = useFormats();
  const { today, minutes, complete, devices } = statistics;
  const now = minutes.at(-1);
  // The server counts the days of UTC, by its own clock.
  const midnight = fieldFromTime(now && `${now.at.slice(0, 10)}T00:00:00Z`);
  const scansOfToday = (outcome: string) => `/log/history${queryOf({ outcome, from: midnight })}`;
  return (
    <>
      {!complete && (
        <p role="status" className="counting dimmed">
          {overview.counting}
        </p>
      )}
      <dl className="totals four">
        <Tile
          title={overview.devicesOnline}
          tone={devices.online < devices.total ? 'bad' : undefined}
          href="/gates/devices"
          value={`${formats.number(devices.online)} / ${formats.number(devices.total)}`}
        />
        <Tile
          title={`${overview.denied} ${overview.today}`}
          href={scansOfToday('denied')}
          value={formats.number(today.denied)}
        />
        <Tile
          title={`${overview.admitted} ${overview.today}`}
          href={scansOfToday('consumed')}
          value={formats.number(today.admitted)}
        />
        <Tile
          title={overview.thisMinute}
          href="/log"
          value={formats.number(now ? scansOf(now) : 0)}
        />
      </dl>
    </>
  );
}

type EventInside = Statistics['inside'][number];

/** The fullest ones; all are on their page. */
const EVENTS_SHOWN = 6;

/** How many are inside each event in which people are counted out. */
function PeopleInside({ inside }: Pick<Statistics, 'inside'>) {
  const { navigation, overview } = useDeskTexts();
  const columns = useInsideColumns();
  if (inside.length === 0) return null;
  const fullest = inside.toSorted((a, b) => b.people - a.people);
  return (
    <section className="panel wide inside">
      <div className="card-head">
        <h2>{overview.inside}</h2>
        <Link href="/events">{navigation.events}</Link>
      </div>
      <DataTable
        compact
        label={overview.inside}
        rows={fullest.slice(0, EVENTS_SHOWN)}
        keyOf={({ event }) => event}
        columns={columns}
      />
    </section>
  );
}

function useInsideColumns(): Column<EventInside>[] {
  const { log, overview, general } = useDeskTexts();
  const formats = useFormats();
  const operator = useMay('operator');
  const columns: Column<EventInside>[] = [
    {
      title: log.event,
      rest: true,
      narrow: 'narrow-first',
      cell: ({ event, name }) => (
        <Link href={`/events/${event}`}>
          <Name>{name}</Name>
        </Link>
      ),
    },
    {
      title: overview.inside,
      end: true,
      narrow: 'narrow-first',
      cell: ({ event, name, people, resetAt }) => (
        <strong>
          <Link
            href={`/log/history${queryOf({ event, from: fieldFromTime(resetAt) })}`}
            aria-label={overview.insideOf(name, formats.number(people))}
          >
            {formats.number(people)}
          </Link>
        </strong>
      ),
    },
    {
      title: overview.inOut,
      narrow: 'narrow-cut',
      cell: ({ entered, exited }) =>
        overview.inAndOut(formats.number(entered), formats.number(exited)),
    },
    {
      title: overview.since,
      cell: ({ resetAt }) => (
        <>
          {overview.sinceReset} <TimeText at={resetAt} otherwise={overview.ever} />
        </>
      ),
    },
  ];
  if (!operator) return columns;
  const reset: Column<EventInside> = {
    title: general.actions,
    cell: (event) => <ResetInside event={event} />,
  };
  return [...columns, reset];
}

/** Sets the number of people inside an event back to zero. */
function ResetInside({ event: { event: id, name } }: { event: EventInside }) {
  const { overview } = useDeskTexts();
  return (
    <ConfirmButton
      text={overview.reset}
      look={{
        size: 'compact-xs',
        variant: 'default',
        'aria-label': overview.resetNamed(name),
      }}
      title={overview.resetTitle}
      route="POST /events/:id/reset-inside"
      input={{ id }}
      alsoStale={['statistics']}
    >
      {overview.resetText(name)}
    </ConfirmButton>
  );
}

/** Scans per minute as bars, and as a table for screen readers. */
function MinuteFigure({ minutes }: { minutes: readonly Minute[] }) {
  const { overview } = useDeskTexts();
  const formats = useFormats();
  const column = useCountColumn();
  const table = (
    <DataTable
      label={overview.perMinute}
      rows={minutes.toReversed()}
      keyOf={({ at }) => at}
      columns={[
        { title: overview.minute, cell: ({ at }) => formats.minute(at) },
        column(overview.admitted, 'admitted'),
        column(overview.denied, 'denied'),
      ]}
    />
  );
  const bars = minutes.map(({ at, ...counts }) => ({
    ...counts,
    key: at,
    label: formats.minute(at),
  }));
  const chart = <CountChart bars={bars} summary={useSummary(minutes)} labelEvery={LABEL_EVERY} />;
  return <CountFigure title={overview.lastHour} chart={chart} table={table} />;
}

type Minute = Statistics['minutes'][number];

const LABEL_EVERY = 15;

/** What the chart says, in a sentence. */
function useSummary(minutes: readonly Minute[]): string {
  const { overview } = useDeskTexts();
  const formats = useFormats();
  const busiest = busiestOf(minutes);
  if (!busiest) return overview.noScans;
  const admitted = minutes.reduce((sum, minute) => sum + minute.admitted, 0);
  const denied = minutes.reduce((sum, minute) => sum + minute.denied, 0);
  return overview.chart(
    admitted,
    denied,
    overview.busiest(formats.minute(busiest.at), scansOf(busiest)),
  );
}

const GATES_SHOWN = 20;

/** Which gate admits and denies how many: the busiest first. */
function GateList({ gates, from }: { gates: Statistics['byGate']; from: string }) {
  const { navigation, overview } = useDeskTexts();
  const busiest = gates.toSorted((a, b) => scansOf(b) - scansOf(a));
  const rows = busiest.map(({ gate, keyId, serial, ...counts }) => ({
    ...counts,
    key: `${keyId} ${serial}`,
    name: (
      <Link href={`/log/history${queryOf({ key: keyId, from })}`}>
        <Name>{gate}</Name>
      </Link>
    ),
  }));
  return (
    <section className="panel">
      <div className="card-head">
        <h2>{overview.byGate}</h2>
        <Link href="/statistics?period=today&by=gate">{navigation.statistics}</Link>
      </div>
      {rows.length === 0 && <p className="dimmed">{overview.noScans}</p>}
      <CountList rows={rows} shownMax={GATES_SHOWN} />
    </section>
  );
}

const SHOWN = 8;

/** The last few scans of the live view. */
function LatestScans({ feed }: { feed: LiveView }) {
  const { overview, log, live } = useDeskTexts();
  const latest = feed.entries.slice(0, SHOWN);
  return (
    <section className="panel latest">
      <div className="card-head">
        <h2>{overview.latest}</h2>
        <Link href="/log">{log.title}</Link>
      </div>
      {latest.length === 0 && (
        <p className="dimmed">{feed.state === 'open' ? log.emptyLive : live[feed.state]}</p>
      )}
      <SmallScans scans={latest} withGate />
    </section>
  );
}
