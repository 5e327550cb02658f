import { useFormats } from '../i18n/formats.ts';
import { useTexts } from '../i18n/language.tsx';

/** How many were admitted and denied in a minute, an hour or a day. */
export interface CountBar {
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
  const { overview } = useTexts();
  const formats = useFormats();
  const most = Math.max(1, ...bars.map(scansOf));
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

interface BarProps {
  readonly bar: CountBar;
  readonly left: number;
  readonly width: number;
  readonly most: number;
}

function Bar({ bar, left, width, most }: BarProps) {
  const admitted = (bar.admitted / most) * HEIGHT;
  const denied = (bar.denied / most) * HEIGHT;
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
