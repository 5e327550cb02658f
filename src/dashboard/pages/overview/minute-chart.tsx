import type { Statistics } from '../../api/types.ts';
import { busiestOf, CountChart, scansOf } from '../../components/count-chart.tsx';
import { useFormats } from '../../i18n/formats.ts';
import { useTexts } from '../../i18n/language.tsx';

export type Minute = Statistics['minutes'][number];

const LABEL_EVERY = 15;

/** The scans of each minute as bars. */
export function MinuteChart({ minutes }: { minutes: readonly Minute[] }) {
  const formats = useFormats();
  const bars = minutes.map((minute) => ({
    ...minute,
    key: minute.at,
    label: formats.minute(minute.at),
  }));
  return <CountChart bars={bars} summary={useSummary(minutes)} labelEvery={LABEL_EVERY} />;
}

/** What the chart says, in a sentence. */
function useSummary(minutes: readonly Minute[]): string {
  const { overview } = useTexts();
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
