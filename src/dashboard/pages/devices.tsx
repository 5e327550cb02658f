import { useKeys, useNameOf } from '../api/lists.ts';
import type { Device, Page } from '../api/types.ts';
import { useRead } from '../api/use-api.ts';
import { PageHead } from '../components/page-head.tsx';
import { SmallScans } from '../components/scan-table.tsx';
import { Answered, Empty } from '../components/states.tsx';
import { Name, StateBadge, TimeText } from '../components/values.tsx';
import { MonthWarning, RefusalHint } from '../components/warnings.tsx';
import { useFormats } from '../i18n/formats.ts';
import { useTexts } from '../i18n/language.tsx';

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

/** One device as its heartbeats and scans tell. */
function DeviceCard({ device }: { device: Device }) {
  const { devices, general } = useTexts();
  return (
    <li className="panel device-card">
      <div className="card-head">
        <h2>
          <Name>{device.serial || devices.noSerial}</Name>
        </h2>
        <StateBadge good={device.online} text={device.online ? devices.online : devices.offline} />
      </div>
      <DeviceFacts device={device} />
      <h3>{devices.lastScans}</h3>
      {device.lastScans.length === 0 && <p className="dimmed">{general.none}</p>}
      <SmallScans scans={device.lastScans} withGate={false} />
    </li>
  );
}

const MS_PER_SECOND = 1000;

function DeviceFacts({ device }: { device: Device }) {
  const { devices } = useTexts();
  const formats = useFormats();
  const keyName = useNameOf('keys');
  const drift = device.clockDriftMs;
  const facts = [
    [devices.model, device.model],
    [devices.firmware, device.firmware],
    [devices.address, device.address],
    [devices.key, keyName(device.keyId)],
  ] as const;
  return (
    <dl className="facts">
      <dt>{devices.heartbeat}</dt>
      <dd>
        <TimeText at={device.lastHeartbeatAt} />
      </dd>
      <dt>{devices.lastScan}</dt>
      <dd>
        <TimeText at={device.lastScanAt} />
      </dd>
      {facts.map(([title, value]) => (
        <div key={title}>
          <dt>{title}</dt>
          <dd>{value ? <Name>{value}</Name> : devices.unknown}</dd>
        </div>
      ))}
      <dt>{devices.drift}</dt>
      <dd>
        {drift === null ? devices.unknown : devices.driftOf(formats.decimal(drift / MS_PER_SECOND))}
      </dd>
    </dl>
  );
}
