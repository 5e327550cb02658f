import { Link } from 'wouter';
import { useNameOf } from '../../api/lists.ts';
import type { Device } from '../../api/types.ts';
import { OutcomeBadge, StateBadge } from '../../components/badges.tsx';
import { Name } from '../../components/name.tsx';
import { TimeText } from '../../components/time-text.tsx';
import { useFormats } from '../../i18n/formats.ts';
import { useTexts } from '../../i18n/language.tsx';

/** One device as its heartbeats and scans tell. */
export function DeviceCard({ device }: { device: Device }) {
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
      <ul className="small-scans">
        {device.lastScans.map((scan) => (
          <li key={scan.sequence}>
            <TimeText at={scan.at} timeOnly />
            <OutcomeBadge scan={scan} />
            {scan.ticketId && (
              <Link href={`/tickets/${scan.ticketId}`} className="mono">
                {scan.ticketId}
              </Link>
            )}
          </li>
        ))}
      </ul>
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
