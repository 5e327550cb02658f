import * as z from 'zod';
import { isOnline } from '../../core/limits.ts';
import {
  type DeviceRecord,
  type LogEntry,
  LogEntryJson,
  logEntryView,
  TimeOrNull,
} from '../../core/records.ts';
import { wholeList } from '../../operations/fields.ts';
import { clockDriftMs } from '../../scan/devices/heartbeat.ts';
import { type OperationContext, operation } from '../context.ts';

const DEVICE_SCANS_SHOWN = 5;

export const Device = z
  .object({
    serial: z.string(),
    model: z.string(),
    keyId: z.string(),
    address: z.string(),
    firmware: z.string(),
    lastHeartbeatAt: TimeOrNull,
    lastScanAt: TimeOrNull,
    online: z.boolean(),
    /** How far its clock was ahead at the last heartbeat, to the nearest quarter of an hour; null when it does not say. */
    clockDriftMs: z.number().int().nullable(),
    /** Newest first, among the latest entries of the log. */
    lastScans: z.array(LogEntryJson),
  })
  .meta({ id: 'Device' });
export type Device = z.output<typeof Device>;

export const listDevices = operation({
  id: 'listDevices',
  http: 'GET /devices',
  tag: 'Devices',
  role: 'viewer',
  summary: 'Devices with a recent heartbeat or scan',
  answer: wholeList(Device),
  run: async (context) => {
    const { id } = await context.scope.onlyOne();
    return { items: await devicesOf(id, context), next: null };
  },
});

/** Devices are looked for in the latest entries only. */
const LATEST_ENTRIES = 5000;
const FOUND_ENTRIES_MAX = 1000;

/** Devices by heartbeat, and those that only scan, with the latest scans of each. */
async function devicesOf(
  organisationId: string,
  { store, clock }: OperationContext,
): Promise<Device[]> {
  const known = await store.listDevices(organisationId);
  const { entries } = await store.searchLog({
    organisationId,
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

/** A device without heartbeats: only its scans are known, not whether it is online. */
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
