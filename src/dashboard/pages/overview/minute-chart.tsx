import type { Statistics } from '../../api/types.ts';
import { useFormats } from '../../i18n/formats.ts';
import { useTexts } from '../../i18n/language.tsx';

export type Minute = Statistics['minutes'][number];

const WIDTH = 600;
const HEIGHT = 160;
const GAP = 2;
const LABEL_EVERY = 15;

/** Stacked bars: admitted below, denied above in another colour and hatched, so that no meaning depends on colour alone. */
export function MinuteChart({ minutes }: { minutes: readonly Minute[] }) {
  const { overview } = useTexts();
  const formats = useFormats();
  const most = Math.max(1, ...minutes.map(total));
  const step = WIDTH / Math.max(1, minutes.length);
  return (
    <figure className="chart">
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={useSummary(minutes)}
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
        {minutes.map((minute, index) => (
          <Bar key={minute.at} minute={minute} left={index * step} width={step - GAP} most={most} />
        ))}
      </svg>
      <div className="chart-axis" aria-hidden>
        {minutes
          .filter((_, index) => index % LABEL_EVERY === 0)
          .map(({ at }) => (
            <span key={at}>{formats.minute(at)}</span>
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
  readonly minute: Minute;
  readonly left: number;
  readonly width: number;
  readonly most: number;
}

function Bar({ minute, left, width, most }: BarProps) {
  const admitted = (minute.admitted / most) * HEIGHT;
  const denied = (minute.denied / most) * HEIGHT;
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

function total({ admitted, denied }: Minute): number {
  return admitted + denied;
}

/** What the chart says, in a sentence. */
function useSummary(minutes: readonly Minute[]): string {
  const { overview } = useTexts();
  const formats = useFormats();
  const admitted = minutes.reduce((sum, minute) => sum + minute.admitted, 0);
  const denied = minutes.reduce((sum, minute) => sum + minute.denied, 0);
  if (admitted + denied === 0) return overview.noScans;
  const busiest = minutes.reduce((most, minute) => (total(minute) > total(most) ? minute : most));
  return overview.chart(
    admitted,
    denied,
    overview.busiest(formats.minute(busiest.at), total(busiest)),
  );
}
