import { logEntryView } from '../../../core/codecs/log-entry.ts';
import { isOnline } from '../../../core/limits.ts';
import type { DeviceRecord, LogEntry } from '../../../core/records.ts';
import type { AccountScope } from '../../../operations/route.ts';
import { clockDriftMs } from '../../devices/heartbeat.ts';
import type { AdminContext } from '../admin-app.ts';
import { DEVICE_SCANS_SHOWN, type Device } from '../wire/operations.ts';

/** Devices are looked for in the latest entries only. */
const LATEST_ENTRIES = 5000;
const FOUND_ENTRIES_MAX = 1000;

/** Devices by heartbeat, and those that only scan, with the latest scans of each. */
export async function devicesOf(
  scope: AccountScope,
  { store, clock }: AdminContext,
): Promise<Device[]> {
  const known = await store.listDevices(scope.organisationId);
  const { entries } = await store.searchLog({
    organisationId: scope.organisationId,
    limit: FOUND_ENTRIES_MAX,
    searchMax: LATEST_ENTRIES,
  });
  const scans = scansByDevice(entries);
  const views = known.map((device) => {
    const name = deviceName(device.keyId, device.serial);
    const theirs = scans.get(name) ?? [];
    scans.delete(name);
    return deviceView(device, theirs, clock.now());
  });
  return [...views, ...[...scans.values()].map(scanningDeviceView)];
}

function scansByDevice(entries: readonly LogEntry[]): Map<string, LogEntry[]> {
  const scans = new Map<string, LogEntry[]>();
  for (const entry of entries) {
    if (entry.serial === null) continue;
    const name = deviceName(entry.keyId, entry.serial);
    const theirs = scans.get(name);
    if (theirs) theirs.push(entry);
    else scans.set(name, [entry]);
  }
  return scans;
}

function deviceName(keyId: string, serial: string): string {
  return JSON.stringify([keyId, serial]);
}

function deviceView(device: DeviceRecord, scans: readonly LogEntry[], now: number): Device {
  const { keyId, serial, model, address, firmware, lastContactAt } = device;
  return {
    keyId,
    serial,
    model,
    address,
    firmware,
    lastHeartbeatAt: lastContactAt,
    online: isOnline(lastContactAt, now),
    clockDriftMs: clockDriftMs(device.clock, lastContactAt),
    ...scansView(scans),
  };
}

/** Of a device without heartbeats only the scans are known, not whether it is online. */
function scanningDeviceView(scans: readonly LogEntry[]): Device {
  const { keyId = '', serial } = scans[0] ?? {};
  return {
    keyId,
    serial: serial ?? '',
    model: '',
    address: '',
    firmware: '',
    lastHeartbeatAt: null,
    online: false,
    clockDriftMs: null,
    ...scansView(scans),
  };
}

function scansView(scans: readonly LogEntry[]): Pick<Device, 'lastScanAt' | 'lastScans'> {
  return {
    lastScanAt: scans[0]?.at ?? null,
    lastScans: scans.slice(0, DEVICE_SCANS_SHOWN).map(logEntryView),
  };
}
