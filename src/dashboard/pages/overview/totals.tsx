import type { Device, Page, Statistics } from '../../api/types.ts';
import { useRead } from '../../api/use-api.ts';
import { useFormats } from '../../i18n/formats.ts';
import { useTexts } from '../../i18n/language.tsx';

const REFRESH_MS = 5000;

/** The numbers of the hour in large figures, readable across a room. */
export function Totals({ statistics }: { statistics: Statistics }) {
  const { overview } = useTexts();
  const formats = useFormats();
  const { today, minutes, complete } = statistics;
  const devices = useRead<Page<Device>>('/devices', { everyMs: REFRESH_MS }).data?.items ?? [];
  const now = minutes.at(-1);
  const online = devices.filter((device) => device.online).length;
  const figures = [
    [`${overview.admitted} ${overview.today}`, formats.number(today.admitted), 'good'],
    [`${overview.denied} ${overview.today}`, formats.number(today.denied), 'bad'],
    [overview.thisMinute, formats.number(now ? now.admitted + now.denied : 0), ''],
    [overview.devicesOnline, `${online} / ${devices.length}`, ''],
  ] as const;
  return (
    <>
      {!complete && (
        <p role="status" className="counting dimmed">
          {overview.counting}
        </p>
      )}
      <dl className="totals">
        {figures.map(([title, value, tone]) => (
          <div key={title} className={`panel total ${tone}`}>
            <dt>{title}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}
