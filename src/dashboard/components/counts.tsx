import { Button } from '@mantine/core';
import { Fragment, type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { queryOf, type Statistics } from '../api/http.ts';
import { useDeskTexts } from '../i18n/desk-language.ts';
import { useFormats } from '../i18n/language.tsx';

/** How many were admitted and denied in a minute, an hour or a day. */
interface CountBar {
  readonly key: string;
  /** Stands below the bar. */
  readonly label: string;
  readonly admitted: number;
  readonly denied: number;
}

const WIDTH = 600;
const HEIGHT = 160;
const GAP = 2;
const GAP_SHARE_MAX = 0.2;

/** Stacked bars: admitted below, denied above in another colour and hatched, so that no meaning depends on colour alone. */
export function CountChart({
  bars,
  summary,
  labelEvery,
}: {
  bars: readonly CountBar[];
  /** What the chart says, in a sentence. */
  summary: string;
  labelEvery: number;
}) {
  const { overview } = useDeskTexts();
  const formats = useFormats();
  const most = Math.max(0, ...bars.map(scansOf));
  const step = WIDTH / Math.max(1, bars.length);
  const width = step - Math.min(GAP, step * GAP_SHARE_MAX);
  return (
    <figure className="chart">
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={summary}
      >
        <defs>
          <pattern
            id="hatched"
            width="6"
            height="6"
            patternUnits="userSpaceOnUse"
            patternTransform="rotate(45)"
          >
            <rect width="6" height="6" className="bar-denied" />
            <rect width="2" height="6" className="bar-hatch" />
          </pattern>
        </defs>
        {bars.map((bar, index) => (
          <Bar key={bar.key} bar={bar} left={index * step} width={width} most={most} />
        ))}
      </svg>
      <div className="chart-axis" aria-hidden>
        {bars
          .filter((_, index) => index % labelEvery === 0)
          .map(({ key, label }) => (
            <span key={key}>{label}</span>
          ))}
      </div>
      <figcaption>
        <span className="legend admitted">{overview.admitted}</span>
        <span className="legend denied">{overview.denied}</span>
        <span className="dimmed">max. {formats.number(most)}</span>
      </figcaption>
    </figure>
  );
}

interface TileProps {
  readonly title: ReactNode;
  readonly tone?: 'good' | 'bad' | undefined;
  /** The scans that are counted. */
  readonly href: string;
  readonly value: string;
}

/** A large number, readable across a room; it leads to what it counts. */
export function Tile({ title, tone, href, value }: TileProps) {
  return (
    <div className={`panel total ${tone ?? ''}`}>
      <dt>{title}</dt>
      <dd>
        <Link href={href}>{value}</Link>
      </dd>
    </div>
  );
}

interface CountFigureProps {
  readonly title: string;
  readonly chart: ReactNode;
  readonly table: ReactNode;
}

/** Counts as a chart, or as a table with all numbers. */
export function CountFigure({ title, chart, table }: CountFigureProps) {
  const { overview } = useDeskTexts();
  const [asTable, setAsTable] = useState(false);
  return (
    <section className="panel wide">
      <div className="card-head">
        <h2>{title}</h2>
        <Button size="xs" variant="default" onClick={() => setAsTable(!asTable)}>
          {asTable ? overview.asChart : overview.asTable}
        </Button>
      </div>
      {asTable ? table : chart}
    </section>
  );
}

/** The column of a table of counts. */
export function useCountColumn() {
  const formats = useFormats();
  return <Name extends string>(title: string, name: Name) => ({
    title,
    end: true,
    cell: (row: Readonly<Record<Name, number>>) => formats.number(row[name]),
  });
}

interface BarProps {
  readonly bar: CountBar;
  readonly left: number;
  readonly width: number;
  readonly most: number;
}

function Bar({ bar, left, width, most }: BarProps) {
  const admitted = (bar.admitted / (most || 1)) * HEIGHT;
  const denied = (bar.denied / (most || 1)) * HEIGHT;
  return (
    <>
      <rect
        className="bar-admitted"
        x={left}
        width={width}
        y={HEIGHT - admitted}
        height={admitted}
      />
      <rect
        fill="url(#hatched)"
        x={left}
        width={width}
        y={HEIGHT - admitted - denied}
        height={denied}
      />
    </>
  );
}

/** The bar with most scans; undefined when no bar has any. */
export function busiestOf<Bar extends Pick<CountBar, 'admitted' | 'denied'>>(
  bars: readonly Bar[],
): Bar | undefined {
  const busiest = bars.toSorted((a, b) => scansOf(b) - scansOf(a))[0];
  return busiest && scansOf(busiest) > 0 ? busiest : undefined;
}

export function scansOf({ admitted, denied }: Pick<CountBar, 'admitted' | 'denied'>): number {
  return admitted + denied;
}

interface NamedCounts {
  readonly key: string;
  readonly name: ReactNode;
  readonly admitted: number;
  readonly denied: number;
}

interface CountListProps {
  readonly rows: readonly NamedCounts[];
  /** How many of them are drawn: the first. How many are left out is said. */
  readonly shownMax: number;
}

/** How many were admitted and denied by each, in words and as bars beside each other. */
export function CountList({ rows: all, shownMax }: CountListProps) {
  const rows = all.slice(0, shownMax);
  const { overview, general } = useDeskTexts();
  const formats = useFormats();
  const most = Math.max(1, ...rows.map(({ admitted, denied }) => admitted + denied));
  return (
    <ul className="gates">
      {rows.map(({ key, name, admitted, denied }) => (
        <li key={key}>
          <div className="gate-text">
            {name}
            <span>
              {formats.number(admitted)} {overview.admitted.toLocaleLowerCase()},{' '}
              {formats.number(denied)} {overview.denied.toLocaleLowerCase()}
            </span>
          </div>
          <svg className="gate-bar" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden>
            <rect className="bar-admitted" width={(admitted / most) * 100} height={4} />
            <rect
              className="bar-denied"
              x={(admitted / most) * 100}
              width={(denied / most) * 100}
              height={4}
            />
          </svg>
        </li>
      ))}
      {all.length > rows.length && (
        <li className="dimmed">{general.andMore(formats.number(all.length - rows.length))}</li>
      )}
    </ul>
  );
}

interface ReasonListProps {
  readonly title: string;
  readonly reasons: Statistics['byReason'];
  /** Which scans of the log were counted, as its page takes it. */
  readonly among: Readonly<Record<string, string>>;
}

/** Why people were denied, the most frequent reason first; each leads to its scans. */
export function ReasonList({ title, reasons, among }: ReasonListProps) {
  const { outcomes, general } = useDeskTexts();
  const formats = useFormats();
  const names: Record<string, string> = outcomes;
  return (
    <section className="panel">
      <h2>{title}</h2>
      {reasons.length === 0 && <p className="dimmed">{general.none}</p>}
      <dl className="facts">
        {reasons
          .toSorted((a, b) => b.count - a.count)
          .map(({ reason, count }) => (
            <Fragment key={reason}>
              <dt>
                <Link href={`/log/history${queryOf({ outcome: reason, ...among })}`}>
                  {names[reason] ?? reason}
                </Link>
              </dt>
              <dd>{formats.number(count)}</dd>
            </Fragment>
          ))}
      </dl>
    </section>
  );
}
