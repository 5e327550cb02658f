import { useKeys } from '../../api/lists.ts';
import type { Device, Page } from '../../api/types.ts';
import { useRead } from '../../api/use-api.ts';
import { MonthWarning } from '../../components/month-warning.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { RefusalHint } from '../../components/refusal-hint.tsx';
import { Answered, Empty } from '../../components/states.tsx';
import { useTexts } from '../../i18n/language.tsx';
import { DeviceCard } from './device-card.tsx';

const REFRESH_MS = 5000;
const USAGE_EVERY_MS = 60_000;

/** Turnstiles and readers: which are there, which are not, and what they scanned last. */
export function DevicesPage() {
  const { devices } = useTexts();
  const keys = useKeys({ everyMs: USAGE_EVERY_MS });
  const list = useRead<Page<Device>>('/devices', { everyMs: REFRESH_MS });
  return (
    <>
      <PageHead title={devices.title} />
      <RefusalHint />
      {keys.data?.items
        .filter(({ type }) => type === 'hardware')
        .map(({ id, name, usage }) => (
          <MonthWarning key={id} usage={usage} name={name} />
        ))}
      <Answered asked={list}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty text={devices.empty} />
          ) : (
            <ul className="cards">
              {items.map((device) => (
                <DeviceCard key={`${device.keyId} ${device.serial}`} device={device} />
              ))}
            </ul>
          )
        }
      </Answered>
    </>
  );
}
