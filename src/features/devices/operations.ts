import * as z from 'zod';
import { DEVICES_PER_KEY_MAX, isOnline } from '../../core/limits.ts';
import {
  type DeviceRecord,
  type LogEntry,
  LogEntryJson,
  logEntryView,
  TimeOrNull,
} from '../../core/records.ts';
import { ListPage } from '../../operations/fields.ts';
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
    /** Set where no scan was found, but only the log since then was looked at: an older scan is possible. */
    scansSearchedSince: TimeOrNull,
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
  description: `In the order of keys and serials. Of each key at most ${DEVICES_PER_KEY_MAX} devices are kept by their heartbeats: \`fullKeys\` have as many, and a device that is new there is not listed until another was silent for 30 days.`,
  query: z.object({
    /** The `next` of the page before. */
    after: z.string().max(500).optional(),
    limit: ListPage.limit,
  }),
  answer: z.object({
    items: z.array(Device),
    next: z.string().nullable(),
    fullKeys: z.array(z.string()),
  }),
  run: async (context, { after, limit }) => {
    const { id } = await context.scope.onlyOne();
    const all = (await devicesOf(id, context)).map((device) => ({
      device,
      place: placeOf(device),
    }));
    const rest = all
      .filter(({ place }) => after === undefined || place > after)
      .sort((a, b) => (a.place < b.place ? -1 : 1));
    const page = rest.slice(0, limit);
    return {
      items: page.map(({ device }) => device),
      next: rest.length > limit ? (page.at(-1)?.place ?? null) : null,
      fullKeys: fullKeysIn(all.map(({ device }) => device)),
    };
  },
});

/** No id of a key has a blank. */
function placeOf({ keyId, serial }: Device): string {
  return `${keyId} ${serial}`;
}

function fullKeysIn(devices: readonly Device[]): string[] {
  const known = devices.filter(({ lastHeartbeatAt }) => lastHeartbeatAt !== null);
  const byKey = Map.groupBy(known, ({ keyId }) => keyId);
  return [...byKey].filter(([, own]) => own.length >= DEVICES_PER_KEY_MAX).map(([keyId]) => keyId);
}

/** Devices are looked for in the latest entries only. */
const LATEST_ENTRIES = 5000;
const FOUND_ENTRIES_MAX = 1000;

/** Devices by heartbeat, and those that only scan, with the latest scans of each. */
async function devicesOf(
  organisationId: string,
  { store, clock }: OperationContext,
): Promise<Device[]> {
  const known = await store.listDevices(organisationId);
  const { entries, ended, oldest } = await store.searchLog({
    organisationId,
    limit: FOUND_ENTRIES_MAX,
    searchMax: LATEST_ENTRIES,
  });
  const scans = scansByDevice(entries);
  const isWhole = ended && oldest === 1;
  const since = isWhole ? null : (entries.at(-1)?.at ?? null);
  const views = known.map((device) => {
    const name = deviceName(device.keyId, device.serial);
    const theirs = scans.get(name) ?? [];
    scans.delete(name);
    return deviceView(device, { scans: theirs, since }, clock.now());
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

interface FoundScans {
  readonly scans: readonly LogEntry[];
  /** The time of the oldest entry that was looked at, where the log goes on; else null. */
  readonly since: number | null;
}

function deviceView(device: DeviceRecord, { scans, since }: FoundScans, now: number): Device {
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
    scansSearchedSince: scans.length === 0 ? since : null,
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
    scansSearchedSince: null,
    ...scansView(scans),
  };
}

function scansView(scans: readonly LogEntry[]): Pick<Device, 'lastScanAt' | 'lastScans'> {
  return {
    lastScanAt: scans[0]?.at ?? null,
    lastScans: scans.slice(0, DEVICE_SCANS_SHOWN).map(logEntryView),
  };
}
