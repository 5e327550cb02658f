import type { ScanClosing } from '../api/http.ts';
import { useDeskTexts } from '../i18n/desk-language.ts';
import type { Formats } from '../i18n/formats.ts';
import { useFormats } from '../i18n/language.tsx';
import { type Column, DataTable } from './data-table.tsx';
import { Name } from './values.tsx';

type Row = ScanClosing['totals'];
type Part = 'byDay' | 'byEvent' | 'byGate' | 'byType' | 'byHour';

const FIGURES = [
  'admitted',
  'firstUses',
  'repeats',
  'byHand',
  'exits',
  'denied',
  'undone',
] as const;

const SUBJECT_OF = {
  byDay: 'day',
  byEvent: 'event',
  byGate: 'gate',
  byType: 'type',
  byHour: 'hour',
} as const satisfies Record<Part, string>;

interface ClosingTableProps {
  readonly closing: ScanClosing;
  readonly title: string;
  readonly rows: readonly Row[];
  /** Null for the sum of all. */
  readonly by: Part | null;
}

/** One part of a closing: a row for each subject, and the other figures below its own where something stands beside it. */
export function ClosingTable({ closing: closed, title, rows, by }: ClosingTableProps) {
  const { closing, log, statistics } = useDeskTexts();
  const formats = useFormats();
  const eventName = closed.event?.name ?? closing.allEvents;
  const nameOf = useNameOfRow();
  const reasonsOf = useReasonsOfRow();
  const isOneDay = closed.from === closed.to;
  const figure = (name: (typeof FIGURES)[number]): Column<Row> => ({
    title: closing.figures[name],
    end: true,
    cell: (row) => <Figure own={row[name]} other={row.other?.[name]} />,
  });
  const mostText = (most: Row['mostInside']) => {
    if (most === null) return '–';
    const at = isOneDay ? formats.minute(most.at) : formats.hour(most.at);
    return closing.mostAt(formats.number(most.people), at);
  };
  const hasMost = rows.some(({ mostInside, other }) => mostInside ?? other?.mostInside);
  const columns: Column<Row>[] = [
    {
      title: by === null ? log.event : statistics.rows[SUBJECT_OF[by]],
      rest: true,
      cell: (row) => <Name>{by === null ? eventName : nameOf(row, by)}</Name>,
    },
    ...FIGURES.map(figure),
    ...(hasMost
      ? [
          {
            title: closing.most,
            end: true,
            cell: (row: Row) => (
              <>
                {mostText(row.mostInside)}
                {row.other && (row.mostInside ?? row.other.mostInside) && (
                  <small className="beside">{mostText(row.other.mostInside)}</small>
                )}
              </>
            ),
          },
        ]
      : []),
  ];
  return (
    <section className="closing-part">
      <h3>{title}</h3>
      <DataTable
        label={title}
        rows={rows}
        keyOf={keyOf}
        columns={columns}
        {...(by !== null && { below: reasonsOf })}
      />
    </section>
  );
}

/** A figure; below it, smaller, the other one and the difference. */
function Figure({ own, other }: { own: number; other: number | undefined }) {
  const formats = useFormats();
  return (
    <>
      {formats.number(own)}
      {other !== undefined && (own !== 0 || other !== 0) && (
        <small className="beside">
          {formats.number(other)} ({differenceText(own - other, formats)})
        </small>
      )}
    </>
  );
}

function differenceText(difference: number, formats: Formats): string {
  return difference > 0 ? `+${formats.number(difference)}` : formats.number(difference);
}

/** Why scans of a row were denied, then what only the row beside it was denied for. The most frequent reasons come first. */
function reasonsIn({ reasons, other }: Row): string[] {
  return [...new Set([...reasons, ...(other?.reasons ?? [])].map(({ reason }) => reason))];
}

function countIn(rows: Row['reasons'], wanted: string): number {
  return rows.find(({ reason }) => reason === wanted)?.count ?? 0;
}

/** Why people were denied, on a line below the row; nothing where nobody was. */
function useReasonsOfRow(): (row: Row) => string | null {
  const { closing, outcomes } = useDeskTexts();
  const formats = useFormats();
  const names: Record<string, string> = outcomes;
  return (row) => {
    const texts = reasonsIn(row).map((reason) => {
      const own = formats.number(countIn(row.reasons, reason));
      const other = row.other && formats.number(countIn(row.other.reasons, reason));
      return `${names[reason] ?? reason} ${other === undefined ? own : `${own} / ${other}`}`;
    });
    return texts.length === 0 ? null : closing.deniedBecause(texts.join(' · '));
  };
}

/** Why people were denied; nothing where nobody was. */
export function ReasonsTable({ totals }: { totals: Row }) {
  const { closing, outcomes } = useDeskTexts();
  const names: Record<string, string> = outcomes;
  const other = totals.other?.reasons ?? [];
  const reasons = reasonsIn(totals);
  if (reasons.length === 0) return null;
  return (
    <section className="closing-part">
      <h3>{closing.reason}</h3>
      <DataTable
        label={closing.reason}
        rows={reasons}
        keyOf={(reason) => reason}
        columns={[
          { title: closing.reason, rest: true, cell: (reason) => names[reason] ?? reason },
          {
            title: closing.count,
            end: true,
            cell: (reason) => (
              <Figure
                own={countIn(totals.reasons, reason)}
                other={totals.other && countIn(other, reason)}
              />
            ),
          },
        ]}
      />
    </section>
  );
}

function keyOf({ day, hour, event, keyId, serial, type }: Row): string {
  return JSON.stringify([day, hour, event, keyId, serial, type]);
}

/** What a row is about, in words. */
function useNameOfRow(): (row: Row, by: Part) => string {
  const { statistics, tickets } = useDeskTexts();
  const formats = useFormats();
  return ({ day = '', hour = '', event, eventName, gate = '', type, other }, by) => {
    const days = other?.day === undefined ? [day] : [day, other.day];
    const names: Record<Part, string> = {
      byDay: days
        .filter((one) => one !== '')
        .map((one) => formats.day(one))
        .join(' · '),
      byEvent: eventName ?? event ?? statistics.noEvent,
      byGate: gate,
      byType: type ? tickets[type] : statistics.noTicket,
      byHour: hour,
    };
    return names[by];
  };
}
