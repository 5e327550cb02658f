import { Button, NativeSelect, TextInput } from '@mantine/core';
import { IconPrinter } from '@tabler/icons-react';
import { type ChangeEvent, useEffect, useState } from 'react';
import { flushSync } from 'react-dom';
import {
  type CalendarDays,
  dateAfter,
  daysOfMonth,
  monthAfter,
  weekOf,
} from '../../core/calendar-days.ts';
import { localTimeIn } from '../../core/time-zone.ts';
import type { ScanClosing } from '../api/http.ts';
import { useEvents } from '../api/lists.ts';
import { useRead, useVenueName } from '../api/use-api.tsx';
import { ClosingTable, ReasonsTable } from '../components/closing-table.tsx';
import { choicesOf, type UsedChoices, useChoices } from '../components/fields.tsx';
import { Answered, ExportLinks } from '../components/page.tsx';
import { Empty, PageHead } from '../components/page-head.tsx';
import { useDeskTexts } from '../i18n/desk-language.ts';
import { type Formats, pageZone } from '../i18n/formats.ts';
import { useFormats } from '../i18n/language.tsx';

const REFRESH_MS = 60_000;

/** What a day came to, to look at, to print and to keep: by event, gate, type and hour, beside another day if wanted. */
export function ClosingPage() {
  const { closing } = useDeskTexts();
  const sinceOf = useInsideSince();
  const { chosen, choose } = useChoices(CHOICES);
  const filter = filterOf(chosen);
  const input = inputOf(filter);
  const read = useRead(
    'GET /statistics/closing',
    { ...input, timeZone: pageZone() },
    { everyMs: REFRESH_MS },
  );
  return (
    <div className="closing">
      <PageHead title={closing.title}>
        <Button
          variant="default"
          onClick={() => window.print()}
          leftSection={<IconPrinter size={18} aria-hidden />}
        >
          {closing.print}
        </Button>
        <ExportLinks route="GET /statistics/closing/export" filter={input} />
      </PageHead>
      <ClosingFields filter={filter} choose={choose} />
      <Answered asked={read}>
        {(answer) => (
          <>
            <PrintHead />
            <Closed closing={answer} readAt={read.dataUpdatedAt} />
            <p className="dimmed small">{closing.notes(pageZone(), sinceOf(answer))}</p>
          </>
        )}
      </Answered>
    </div>
  );
}

/** Whose closing it is and when it was printed, on paper only. */
function PrintHead() {
  const { closing } = useDeskTexts();
  const formats = useFormats();
  const venue = useVenueName();
  const [at, setAt] = useState(Date.now);
  useEffect(() => {
    // The browser prints what the page is when this returns.
    const printed = () => flushSync(() => setAt(Date.now()));
    addEventListener('beforeprint', printed);
    return () => removeEventListener('beforeprint', printed);
  }, []);
  const time = closing.printed(formats.dateTime(new Date(at).toISOString()));
  return <p className="print-head">{venue === undefined ? time : `${venue} · ${time}`}</p>;
}

/** Says since when people inside are counted: a time of day, with its zone where that is another than the page's. */
function useInsideSince(): (closing: Pick<ScanClosing, 'inside'>) => string {
  const { closing } = useDeskTexts();
  return ({ inside: { from, timeZone } }) => {
    if (from === 'never') return closing.sinceReset;
    return timeZone === pageZone() ? from : `${from} (${timeZone})`;
  };
}

const PARTS = ['byDay', 'byEvent', 'byGate', 'byType', 'byHour'] as const;

interface ClosedProps {
  readonly closing: ScanClosing;
  /** When the server was asked, milliseconds since 1970 UTC. */
  readonly readAt: number;
}

function Closed({ closing: closed, readAt }: ClosedProps) {
  const { closing } = useDeskTexts();
  const formats = useFormats();
  const isOver = closed.to < localTimeIn(readAt, closed.timeZone).date;
  const until = closing.untilNow(formats.minute(new Date(readAt).toISOString()));
  const bounds = boundsText(closed, formats, closing.allEvents);
  const { totals, other } = closed;
  const isEmpty = PARTS.every((part) => part === 'byDay' || closed[part].length === 0);
  return (
    <>
      <h2>{closing.of(isOver ? bounds : `${bounds} · ${until}`)}</h2>
      {other && (
        <p className="dimmed">{closing.beside(boundsText(other, formats, closing.allEvents))}</p>
      )}
      {isEmpty ? (
        <Empty text={closing.empty} />
      ) : (
        <>
          <ClosingTable closing={closed} title={closing.inAll} rows={[totals]} by={null} />
          <ReasonsTable totals={totals} />
          {PARTS.filter((part) => closed[part].length > 0).map((part) => (
            <ClosingTable
              key={part}
              closing={closed}
              title={closing[part]}
              rows={closed[part]}
              by={part}
            />
          ))}
        </>
      )}
    </>
  );
}

function boundsText(
  { from, to, event }: Pick<ScanClosing, 'from' | 'to' | 'event'>,
  { wholeDay }: Formats,
  allEvents: string,
): string {
  const period = from === to ? wholeDay(from) : `${wholeDay(from)} – ${wholeDay(to)}`;
  return `${period} · ${event?.name ?? allEvents}`;
}

interface FieldsProps {
  readonly filter: ClosingFilter;
  readonly choose: UsedChoices<(typeof CHOICES)[number]>['choose'];
}

type Changed = ChangeEvent<HTMLInputElement | HTMLSelectElement>;

/** Which days are closed, and what stands beside them. */
function ClosingFields({ filter, choose }: FieldsProps) {
  const { closing, general, log } = useDeskTexts();
  const events = useEvents().data?.items ?? [];
  const { span, beside } = filter;
  const field = (name: (typeof CHOICES)[number], value: string) => ({
    value,
    onChange: ({ currentTarget }: Changed) => choose({ [name]: currentTarget.value }),
  });
  const named = events.map(({ id, name }) => ({ value: id, label: name }));
  const others = BESIDE.filter((one) => one !== 'weekBefore' || span === 'day');
  return (
    <search className="filters">
      <NativeSelect
        label={closing.span}
        data={choicesOf(SPANS, closing.spans)}
        {...field('span', span)}
      />
      <TextInput label={closing.date[span]} type="date" {...field('day', filter.day)} />
      <NativeSelect
        label={log.event}
        data={[{ value: '', label: general.all }, ...named]}
        {...field('event', filter.event)}
      />
      <NativeSelect
        label={closing.compare}
        data={choicesOf(others, closing.others)}
        {...field('beside', beside)}
      />
      {beside === 'own' && (
        <TextInput label={closing.otherDate} type="date" {...field('otherDay', filter.otherDay)} />
      )}
      {(beside === 'own' || beside === 'same') && (
        <NativeSelect
          label={closing.otherEvent}
          data={[{ value: '', label: closing.sameEvent }, ...named]}
          {...field('otherEvent', filter.otherEvent)}
        />
      )}
    </search>
  );
}

const SPANS = ['day', 'week', 'month'] as const;
type Span = (typeof SPANS)[number];
const BESIDE = ['none', 'before', 'weekBefore', 'yearBefore', 'own', 'same'] as const;
type Beside = (typeof BESIDE)[number];
/** How the address of the page says it. */
const CHOICES = ['span', 'day', 'event', 'beside', 'otherDay', 'otherEvent'] as const;

/** What is closed. Days are those of the zone of the page, such as `2026-11-22`. */
interface ClosingFilter {
  readonly span: Span;
  readonly day: string;
  /** Its id; empty for all events. */
  readonly event: string;
  readonly beside: Beside;
  readonly otherDay: string;
  readonly otherEvent: string;
}

/** What an address asks for; today where it says nothing. */
export function filterOf(
  chosen: Readonly<Partial<Record<(typeof CHOICES)[number], string>>>,
): ClosingFilter {
  const { date: today } = localTimeIn(Date.now(), pageZone());
  const span = SPANS.find((one) => one === chosen.span) ?? 'day';
  const day = chosen.day || today;
  const { event = '', otherEvent = '' } = chosen;
  const beside = BESIDE.find((one) => one === chosen.beside) ?? 'none';
  const otherDay = chosen.otherDay || dateAfter(day, -1);
  return { span, day, event, beside, otherDay, otherEvent };
}

/** The days of a closing and those beside it, as the server is asked for them. */
export function inputOf({ span, day, event, beside, otherDay, otherEvent }: ClosingFilter) {
  const { from, to } = DAYS_OF[span](day);
  const other = besideOf(span, day, beside, otherDay);
  const isOther = beside === 'own' || beside === 'same';
  return {
    from,
    to,
    event,
    otherFrom: other?.from,
    otherTo: other?.to,
    otherEvent: isOther ? otherEvent : undefined,
  };
}

const DAYS_OF: Readonly<Record<Span, (day: string) => CalendarDays>> = {
  day: (day) => ({ from: day, to: day }),
  week: weekOf,
  month: daysOfMonth,
};

/** 52 weeks: the same day of the week. */
const YEAR_DAYS = 364;
const YEAR_MONTHS = 12;

function besideOf(
  span: Span,
  day: string,
  beside: Beside,
  otherDay: string,
): CalendarDays | undefined {
  if (beside === 'none') return undefined;
  if (beside === 'same') return DAYS_OF[span](day);
  if (beside === 'own') return DAYS_OF[span](otherDay);
  if (span === 'month') return monthAfter(day, beside === 'yearBefore' ? -YEAR_MONTHS : -1);
  if (beside === 'yearBefore') return DAYS_OF[span](dateAfter(day, -YEAR_DAYS));
  const days = span === 'week' || beside === 'weekBefore' ? 7 : 1;
  return DAYS_OF[span](dateAfter(day, -days));
}
