import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import { OUTCOME_NAMES } from '../../core/outcome-names.ts';
import type { AnswerOf } from '../api/http.ts';
import { useEventChoices, useKeyName, useKeys, useScanners } from '../api/lists.ts';
import { useRead } from '../api/use-api.ts';
import { type Column, DataTable, Unfolding } from '../components/data-table.tsx';
import {
  bound,
  choicesOf,
  SearchField,
  type UsedChoices,
  useChoices,
} from '../components/fields.tsx';
import { LiveState, useLiveFeed } from '../components/live-feed.tsx';
import { ExportLinks, PageHead } from '../components/page-head.tsx';
import { LogHistory, useLogColumns } from '../components/scan-table.tsx';
import { Answered, Empty } from '../components/states.tsx';
import { Name, TimeText } from '../components/values.tsx';
import { timeFromField } from '../i18n/formats.ts';
import { useFormats, useTexts } from '../i18n/language.tsx';

/** The scan log: as it happens, or back through time; with filters and export. And what was refused before any scan. */
export function LogPage({ view }: { view: string | undefined }) {
  const { log } = useTexts();
  const choices = useChoices(CHOICES);
  const isLive = view !== 'history';
  const filter = isLive ? { ...choices.chosen, from: '', until: '' } : choices.chosen;
  const conditions = conditionsOf(filter);
  if (view === 'refused') return <RefusedRequests />;
  return (
    <>
      <PageHead title={log.title}>
        <ExportLinks route="GET /log/export" filter={conditions} texts={log} />
      </PageHead>
      <LogFilterFields choices={choices} withTimes={!isLive} />
      {isLive ? (
        <LiveLog conditions={conditions} />
      ) : (
        <LogHistory conditions={conditions} label={log.title} empty={log.empty} withTicket />
      )}
    </>
  );
}

/** Times as `datetime-local` gives them. */
const CHOICES = ['ticket', 'key', 'event', 'outcome', 'from', 'until'] as const;
type LogFilter = Readonly<Record<(typeof CHOICES)[number], string>>;

/** What the admin API is asked for; times with their zone. */
function conditionsOf(filter: LogFilter): Record<string, string> {
  const { from, until, ...rest } = filter;
  return {
    ...rest,
    ...(from && { from: timeFromField(from) }),
    ...(until && { until: timeFromField(until) }),
  };
}

interface LogFilterProps {
  readonly choices: UsedChoices<keyof LogFilter>;
  /** Times make no sense for what is still to come. */
  readonly withTimes: boolean;
}

/** Which scans are wanted. */
function LogFilterFields({ choices: { chosen, choose, clear }, withTimes }: LogFilterProps) {
  const { log, general, outcomes, overview } = useTexts();
  const keys = [...(useKeys().data?.items ?? []), ...(useScanners().data?.items ?? [])];
  const events = useEventChoices(chosen.event);
  const bind = bound(chosen, choose);
  const field = (name: keyof LogFilter) => ({ label: log[name], ...bind(name) });
  const all = { value: '', label: general.all };
  const gates = keys.map(({ id, name }) => ({ value: id, label: name }));
  const denied = { value: 'denied', label: overview.denied };
  const kinds = choicesOf([...OUTCOME_NAMES, 'undone'], outcomes);
  return (
    <search className="filters">
      <SearchField {...field('ticket')} />
      <NativeSelect {...field('outcome')} data={[all, denied, ...kinds]} />
      <NativeSelect {...field('key')} data={[all, ...gates]} />
      <NativeSelect {...field('event')} data={[all, ...events]} />
      {withTimes && (
        <>
          <TextInput {...field('from')} type="datetime-local" />
          <TextInput {...field('until')} type="datetime-local" />
        </>
      )}
      <Button variant="subtle" onClick={clear}>
        {general.clearFilter}
      </Button>
    </search>
  );
}

/** Scans as they happen, newest first; however many come, the list stays short. */
function LiveLog({ conditions }: { conditions: Record<string, string> }) {
  const { log, live } = useTexts();
  const columns = useLogColumns({ withTicket: true });
  const feed = useLiveFeed(conditions);
  const [held, setHeld] = useState<typeof feed.entries>();
  const rows = held ?? feed.entries;
  return (
    <>
      <div className="live-bar">
        <LiveState feed={feed} paused={held !== undefined} />
        <Button
          size="xs"
          variant="default"
          onClick={() => setHeld(held ? undefined : feed.entries)}
        >
          {held ? live.resume : live.pause}
        </Button>
        {feed.skipped && <span className="dimmed">{live.skipped}</span>}
      </div>
      <DataTable
        empty={feed.state === 'open' ? log.emptyLive : live[feed.state]}
        label={log.title}
        columns={columns}
        rows={rows}
        keyOf={({ sequence }) => sequence}
      />
    </>
  );
}

const REFRESH_MS = 5000;

type Refusal = AnswerOf<'GET /refusals'>['items'][number];

/** Requests that no scan came of: their key was disabled, deleted or of the other type, or over a limit. */
function RefusedRequests() {
  const { refusals } = useTexts();
  const formats = useFormats();
  const columns = useRefusalColumns();
  const list = useRead('GET /refusals', {}, { everyMs: REFRESH_MS });
  return (
    <>
      <PageHead title={refusals.title} />
      <p className="dimmed">{refusals.about}</p>
      <Answered asked={list}>
        {({ items, others, unknownKeys }) => (
          <>
            {!unknownKeys && <p>{refusals.withoutUnknown}</p>}
            {items.length === 0 ? (
              <Empty text={unknownKeys ? refusals.empty : refusals.emptyOwn} />
            ) : (
              <>
                <DataTable label={refusals.title} columns={columns} rows={items} keyOf={nameOf} />
                {others && <p>{refusals.others(formats.number(others.times))}</p>}
              </>
            )}
          </>
        )}
      </Answered>
    </>
  );
}

function nameOf({ reason, key, keyId, serial, address, endpoint }: Refusal): string {
  return [reason, key, keyId, serial, address, endpoint].join(' ');
}

function useRefusalColumns(): Column<Refusal>[] {
  const { refusals, log } = useTexts();
  const formats = useFormats();
  const keyName = useKeyName();
  return [
    { title: refusals.last, cell: ({ lastAt }) => <TimeText at={lastAt} /> },
    { title: refusals.reason, cell: ({ reason }) => refusals.reasons[reason] },
    { title: refusals.times, cell: ({ times }) => formats.number(times), end: true },
    {
      title: log.key,
      cell: ({ key, keyId }) => (keyId ? <Name>{keyName(keyId)}</Name> : <code>{key}</code>),
    },
    { title: log.gate, cell: ({ serial }) => (serial ? <Name>{serial}</Name> : '–') },
    {
      title: refusals.address,
      rest: true,
      cell: ({ address, endpoint, key }) => (
        <Unfolding>{[address, endpoint, key].filter(Boolean).join(', ')}</Unfolding>
      ),
    },
  ];
}
