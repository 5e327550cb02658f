import { SECOND_MS } from '../../kit/durations.ts';
import { useKeyName, useKeys } from '../api/lists.ts';
import { useMay } from '../api/session.tsx';
import type { Device } from '../api/types.ts';
import { useRead } from '../api/use-api.ts';
import { PageHead } from '../components/page-head.tsx';
import { SmallScans } from '../components/scan-table.tsx';
import { Cards, MonthWarning, RefusalHint } from '../components/states.tsx';
import { Facts, Name, StateBadge, TimeText } from '../components/values.tsx';
import { useFormats, useTexts } from '../i18n/language.tsx';

const REFRESH_MS = 5000;
const USAGE_EVERY_MS = 60_000;

/** Turnstiles and readers: which are there, which are not, and what they scanned last. */
export function DevicesPage() {
  const { devices } = useTexts();
  const owner = useMay('owner');
  const keys = useKeys({ everyMs: USAGE_EVERY_MS });
  const list = useRead('GET /devices', {}, { everyMs: REFRESH_MS });
  return (
    <>
      <PageHead title={devices.title} />
      <RefusalHint />
      {keys.data?.items
        .filter(({ type }) => type === 'hardware')
        .map(({ id, name, usage }) => (
          <MonthWarning key={id} usage={usage} name={name} />
        ))}
      <Cards
        asked={list}
        empty={owner ? devices.empty : devices.emptyForOthers}
        card={(device) => <DeviceCard key={`${device.keyId} ${device.serial}`} device={device} />}
      />
    </>
  );
}

/** One device as its heartbeats and scans tell. */
function DeviceCard({ device }: { device: Device }) {
  const { devices, general } = useTexts();
  const formats = useFormats();
  const keyName = useKeyName();
  const { model, firmware, address, clockDriftMs: drift, online } = device;
  const named = (value: string) => (value ? <Name>{value}</Name> : devices.unknown);
  return (
    <li className="panel device-card">
      <div className="card-head">
        <h2>
          <Name>{device.serial || devices.noSerial}</Name>
        </h2>
        <StateBadge good={online} text={online ? devices.online : devices.offline} />
      </div>
      <Facts
        facts={{
          [devices.heartbeat]: <TimeText at={device.lastHeartbeatAt} only="seconds" />,
          [devices.lastScan]: <TimeText at={device.lastScanAt} only="seconds" />,
          [devices.model]: named(model),
          [devices.firmware]: named(firmware),
          [devices.address]: named(address),
          [devices.key]: named(keyName(device.keyId)),
          [devices.drift]:
            drift === null ? devices.unknown : devices.driftOf(formats.decimal(drift / SECOND_MS)),
        }}
      />
      <h3>{devices.lastScans}</h3>
      {device.lastScans.length === 0 && <p className="dimmed">{general.none}</p>}
      <SmallScans scans={device.lastScans} withGate={false} />
    </li>
  );
}
