import { Button, NativeSelect } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { OUTCOME_NAMES } from '../../core/outcome-names.ts';
import type { AnswerOf, AuditEntry } from '../api/http.ts';
import { useEventChoices, useKeyName, useKeys, useNameOf, useScanners } from '../api/lists.ts';
import { usePages, useRead } from '../api/use-api.tsx';
import { detailsText, sentenceOf } from '../components/audit-texts.ts';
import { type Column, DataTable, ListTable, Pager, Unfolding } from '../components/data-table.tsx';
import {
  bound,
  choicesOf,
  FilterBar,
  SearchField,
  type UsedChoices,
  useChoices,
} from '../components/fields.tsx';
import { Answered, ExportLinks } from '../components/page.tsx';
import { Empty, PageHead } from '../components/page-head.tsx';
import { LiveState, LogHistory, useLiveFeed, useLogColumns } from '../components/scans.tsx';
import { ScannedTicket } from '../components/ticket-values.tsx';
import { TimeField } from '../components/time-field.tsx';
import { Name, StateBadge, TimeText } from '../components/values.tsx';
import { useDeskTexts } from '../i18n/desk-language.ts';
import { useFormats } from '../i18n/language.tsx';
import { timeFromField } from '../i18n/time-fields.ts';

/** The scan log as it happens, with filters and export. */
export function LiveLogPage() {
  const choices = useChoices(CHOICES);
  const conditions = conditionsOf({ ...choices.chosen, from: '', until: '' });
  return (
    <LogView choices={choices} conditions={conditions} withTimes={false}>
      <LiveLog conditions={conditions} />
    </LogView>
  );
}

/** The scan log back through time. */
export function HistoryPage() {
  const { log } = useDeskTexts();
  const choices = useChoices(CHOICES);
  const conditions = conditionsOf(choices.chosen);
  return (
    <LogView choices={choices} conditions={conditions} withTimes>
      <LogHistory conditions={conditions} label={log.title} empty={log.empty} withTicket />
    </LogView>
  );
}

interface LogViewProps extends LogFilterProps {
  readonly conditions: Record<string, string>;
  readonly children: ReactNode;
}

function LogView({ conditions, children, ...filter }: LogViewProps) {
  const { log } = useDeskTexts();
  return (
    <>
      <PageHead title={log.title}>
        <ExportLinks route="GET /log/export" filter={conditions} />
      </PageHead>
      <LogFilterFields {...filter} />
      {children}
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
    ...(from && { from: timeFromField(from, 'from') }),
    ...(until && { until: timeFromField(until, 'until') }),
  };
}

interface LogFilterProps {
  readonly choices: UsedChoices<keyof LogFilter>;
  /** Times make no sense for what is still to come. */
  readonly withTimes: boolean;
}

/** Which scans are wanted. */
function LogFilterFields({ choices: { chosen, choose, clear }, withTimes }: LogFilterProps) {
  const { log, general, outcomes, overview } = useDeskTexts();
  const keys = [...(useKeys().data?.items ?? []), ...(useScanners().data?.items ?? [])];
  const events = useEventChoices(chosen.event);
  const bind = bound(chosen, choose);
  const field = (name: keyof LogFilter) => ({ label: log[name], ...bind(name) });
  const all = { value: '', label: general.all };
  const gates = keys.map(({ id, name }) => ({ value: id, label: name }));
  const denied = { value: 'denied', label: overview.denied };
  const kinds = choicesOf([...OUTCOME_NAMES, 'undone'], outcomes);
  return (
    <FilterBar count={Object.values(chosen).filter(Boolean).length}>
      <SearchField {...field('ticket')} />
      <NativeSelect {...field('outcome')} data={[all, denied, ...kinds]} />
      <NativeSelect {...field('key')} data={[all, ...gates]} />
      <NativeSelect {...field('event')} data={[all, ...events]} />
      {withTimes && (
        <>
          <TimeField {...field('from')} />
          <TimeField {...field('until')} />
        </>
      )}
      <Button variant="subtle" onClick={clear}>
        {general.clearFilter}
      </Button>
    </FilterBar>
  );
}

/** Scans as they happen, newest first; however many come, the list stays short. */
function LiveLog({ conditions }: { conditions: Record<string, string> }) {
  const { log, live } = useDeskTexts();
  const formats = useFormats();
  const feed = useLiveFeed(conditions);
  const [held, setHeld] = useState<typeof feed.entries>();
  const rows = held ?? feed.entries;
  const day = rows[0] && formats.date(rows[0].at);
  const columns = useLogColumns({ withTicket: true, day });
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
        {day && <span>{day}</span>}
        {feed.skipped && <span className="dimmed">{live.skipped}</span>}
      </div>
      <DataTable
        compact
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
export function RefusedPage() {
  const { refusals } = useDeskTexts();
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

function nameOf({ reason, key, keyId, serial, address, endpoint, site }: Refusal): string {
  return [reason, key, keyId, serial, address, endpoint, site].join(' ');
}

function useRefusalColumns(): Column<Refusal>[] {
  const { refusals, log } = useDeskTexts();
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
    { title: log.gate, cell: ({ serial }) => serial && <Name>{serial}</Name> },
    {
      title: refusals.address,
      rest: true,
      cell: ({ site, address, endpoint, key }) => (
        <Unfolding>{[site, address, endpoint, key].filter(Boolean).join(', ')}</Unfolding>
      ),
    },
  ];
}

/** The audit log: who changed what, and when; newest first. */
export function AuditLogPage() {
  const { navigation, auditLog } = useDeskTexts();
  const columns = useColumns();
  const pages = usePages('GET /audit-log', {}, 'before');
  return (
    <>
      <PageHead title={navigation.auditLog} />
      <p className="dimmed">{auditLog.help}</p>
      <ListTable
        asked={pages}
        empty={auditLog.empty}
        label={navigation.auditLog}
        columns={columns}
        keyOf={({ sequence }) => sequence}
      />
      <Pager pages={pages} />
    </>
  );
}

function useColumns(): Column<AuditEntry>[] {
  const texts = useDeskTexts();
  const formats = useFormats();
  const { auditLog } = texts;
  return [
    { title: auditLog.when, cell: ({ at }) => <TimeText at={at} only="seconds" /> },
    {
      title: auditLog.who,
      cell: ({ by, byKind }) =>
        byKind === 'account' ? (
          <Name>{by}</Name>
        ) : (
          <StateBadge text={auditLog.authors[byKind]} good={undefined} />
        ),
    },
    {
      title: auditLog.what,
      cell: (entry) => (
        <span className="two-lines" title={entry.act}>
          <Act entry={entry} />
        </span>
      ),
    },
    {
      title: auditLog.details,
      rest: true,
      cell: ({ details }) =>
        Object.keys(details).length > 0 && (
          <Unfolding>{detailsText(details, texts, formats)}</Unfolding>
        ),
    },
  ];
}

/** What was done and with what, as a sentence. */
function Act({ entry }: { entry: AuditEntry }) {
  const { acts } = useDeskTexts();
  const { act, subject, details } = entry;
  const isOne = subject.startsWith('tkt_');
  // Of the organisation itself only a new name says anything.
  const isSaid =
    subject !== '' && (!subject.startsWith('org_') || typeof details['name'] === 'string');
  const words = (isOne ? undefined : acts[`${act}.many`]) ?? acts[act] ?? act;
  const { before, after } = sentenceOf(words, isSaid);
  return (
    <>
      {before}
      {isSaid && <Subject entry={entry} />}
      {after}
    </>
  );
}

/** What was changed, by its name where it has one; a ticket leads to its page. */
function Subject({ entry: { subject, details } }: { entry: AuditEntry }) {
  const nameOf = useNameOf();
  if (subject.startsWith('tkt_'))
    return <ScannedTicket scan={{ ticketId: subject, excerpt: null }} />;
  const { name = nameOf(subject) } = details;
  return (
    <span title={subject}>
      <Name>{typeof name === 'string' ? name : subject}</Name>
    </span>
  );
}
