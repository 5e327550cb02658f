import * as z from 'zod';
import { DEVICES_PER_KEY_MAX, isOnline } from '../../core/limits.ts';
import { boundOfDay } from '../../core/local-time.ts';
import {
  type DeviceRecord,
  type LogEntry,
  LogEntryJson,
  logEntryView,
  TimeOrNull,
} from '../../core/records.ts';
import { QUARTER_MS, useCountedAs } from '../../core/scan-count.ts';
import { localTimeIn } from '../../core/time-zone.ts';
import { Id, ListPage, pagedList, slicedPage } from '../../operations/fields.ts';
import { clockDriftMs } from '../../scan/devices/heartbeat.ts';
import { deviceThatScans } from '../../stores/scanned-devices.ts';
import { type OperationContext, operation } from '../context.ts';
import { deviceNamesOf, listDeviceNames, nameDevice } from './rules.ts';

const DEVICE_SCANS_SHOWN = 5;
const SERIAL_CHARACTERS_MAX = 500;

/** What scans were answered, the most frequent answer first. */
const Answers = z.array(z.object({ outcome: z.string(), scans: z.number().int() }));

export const Device = z
  .object({
    serial: z.string(),
    /** The name that people gave it; null for none. */
    name: z.string().nullable(),
    model: z.string(),
    keyId: z.string(),
    address: z.string(),
    firmware: z.string(),
    lastHeartbeatAt: TimeOrNull,
    /** Kept with the device, to the minute; to the millisecond while its last scan is among the latest entries of the log. */
    lastScanAt: TimeOrNull,
    /** The time of its first heartbeat, or the minute of its first scan; null when its key had no room for it. */
    knownSince: TimeOrNull,
    /** Whether a heartbeat came within 30 seconds; of a device that never sent one, a scan. */
    online: z.boolean(),
    /** How far its clock was ahead at the last heartbeat, to the nearest quarter of an hour; null when it does not say. */
    clockDriftMs: z.number().int().nullable(),
    /** What its scans were answered today, in the zone of the organisation, the most frequent answer first. Repeated answers are not counted. */
    today: Answers,
    /** Newest first, among the latest entries of the log: a device that scanned before them has none here. */
    lastScans: z.array(LogEntryJson),
  })
  .meta({ id: 'Device' });
export type Device = z.output<typeof Device>;
type UnnamedDevice = Omit<Device, 'name' | 'today'>;

export const listDevices = operation({
  id: 'listDevices',
  http: 'GET /devices',
  tag: 'Devices',
  role: 'viewer',
  summary: 'Devices with a recent heartbeat or scan',
  description: `In the order of keys and serials. Of each key at most ${DEVICES_PER_KEY_MAX} devices are kept by their heartbeats, and as many that only scan: \`fullKeys\` have as many of one kind, and a device that is new there is not kept until another was silent for 30 days.`,
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
    const { id, timeZone } = await context.scope.onlyOne();
    const known = await context.store.listDevices(id);
    const names = await deviceNamesOf(context.store, id);
    const today = await answersOfToday(context, { id, timeZone }, placeOf);
    const all = (await devicesOf(id, known, context)).map((view) => ({
      device: { ...view, name: names.of(view) ?? null, today: today.get(placeOf(view)) ?? [] },
      place: placeOf(view),
    }));
    const rest = all
      .filter(({ place }) => after === undefined || place > after)
      .sort((a, b) => (a.place < b.place ? -1 : 1));
    const page = rest.slice(0, limit);
    return {
      items: page.map(({ device }) => device),
      next: rest.length > limit ? (page.at(-1)?.place ?? null) : null,
      fullKeys: fullKeysIn(known),
    };
  },
});

const DeviceName = z
  .object({
    /** A key and a serial, as a cursor. */
    id: z.string(),
    keyId: z.string(),
    serial: z.string(),
    name: z.string(),
  })
  .meta({ id: 'DeviceName' });

export const listNamesOfDevices = operation({
  id: 'listNamesOfDevices',
  http: 'GET /device-names',
  tag: 'Devices',
  role: 'viewer',
  summary: 'The names of devices',
  description:
    'Also of devices that are not listed any more: entries of the scan log name them by key and serial.',
  query: z.object(ListPage),
  answer: pagedList(DeviceName),
  run: async ({ scope, store }, page) => {
    const names = await listDeviceNames(store, scope.organisationId);
    return slicedPage(
      names.map((one) => ({ id: placeOf(one), ...one })),
      page,
    );
  },
});

export const setNameOfDevice = operation({
  id: 'setNameOfDevice',
  http: 'POST /device-names',
  tag: 'Devices',
  role: 'operator',
  summary: 'Name a device, or take its name away',
  description:
    'The name stands for the gate in log, statistics, exports and webhooks. Without one, gates are called by the name of their key and the serial.',
  body: z.object({
    /** The id of its key. */
    key: z.string().min(1).max(100),
    serial: z.string().min(1).max(SERIAL_CHARACTERS_MAX),
    /** Null for none. */
    name: z.string().nullable(),
  }),
  answer: z.object({ name: z.string().nullable() }),
  run: async (context, { key: keyId, serial, name }) => {
    const key = await context.scope.key(keyId);
    const { store, clock, scope } = context;
    const named = await nameDevice({ store, clock, actor: scope.actor }, key, serial, name);
    return { name: named?.name ?? null };
  },
});

export const getAnswersOfKey = operation({
  id: 'getAnswersOfKey',
  http: 'GET /key-answers/:id',
  tag: 'Keys',
  role: 'viewer',
  summary: 'What the scans of a key were answered today',
  description:
    'In the zone of the organisation, the most frequent answer first. Repeated answers are not counted.',
  params: Id,
  answer: z.object({ today: Answers }),
  run: async (context, { id }) => {
    const key = await context.scope.key(id);
    const organisation = await context.store.read('organisation', key.organisationId);
    const owner = { id: key.organisationId, timeZone: organisation?.timeZone };
    const answers = await answersOfToday(context, owner, ({ keyId }) => keyId);
    return { today: answers.get(id) ?? [] };
  },
});

/** The answers of today by the gate, as `nameOf` names it. */
async function answersOfToday(
  { store, clock }: Pick<OperationContext, 'store' | 'clock'>,
  { id: organisationId, timeZone = 'UTC' }: { id: string; timeZone?: string | undefined },
  nameOf: (gate: Pick<Device, 'keyId' | 'serial'>) => string,
): Promise<Map<string, Device['today']>> {
  const now = clock.now();
  const { date } = localTimeIn(now, timeZone);
  const fromQuarter = Math.floor(boundOfDay(Date.parse(date), 'from', timeZone) / QUARTER_MS);
  const untilQuarter = Math.floor(now / QUARTER_MS) + 1;
  const search = { organisationId, fromQuarter, untilQuarter, by: ['gate'] as const };
  const counts = new Map<string, Map<string, number>>();
  for (const { keyId = '', serial = '', outcome, scans } of await store.sumScans(search)) {
    const place = nameOf({ keyId, serial });
    const answers = counts.get(place) ?? new Map<string, number>();
    counts.set(place, answers);
    const told = useCountedAs(outcome) ? 'consumed' : outcome;
    answers.set(told, (answers.get(told) ?? 0) + scans);
  }
  return new Map(
    [...counts].map(([place, answers]) => [
      place,
      [...answers]
        .map(([outcome, scans]) => ({ outcome, scans }))
        .sort((a, b) => b.scans - a.scans),
    ]),
  );
}

/** The cursor of a device: key and serial with a blank between, because no id of a key has a blank. */
function placeOf({ keyId, serial }: Pick<Device, 'keyId' | 'serial'>): string {
  return `${keyId} ${serial}`;
}

function fullKeysIn(known: readonly DeviceRecord[]): string[] {
  const kept = Map.groupBy(
    known,
    ({ keyId, lastContactAt }) => `${keyId} ${lastContactAt !== null}`,
  );
  const full = [...kept.values()].filter((alike) => alike.length >= DEVICES_PER_KEY_MAX);
  return [...new Set(full.map(([first]) => first?.keyId ?? ''))];
}

/** The latest scans of a device are looked for in the latest entries only. */
const LATEST_ENTRIES = 5000;
const FOUND_ENTRIES_MAX = 1000;

/** The devices that are kept with their latest scans, and those that a key had no room for, as far as the latest scans name them. */
async function devicesOf(
  organisationId: string,
  known: readonly DeviceRecord[],
  { store, clock }: OperationContext,
): Promise<UnnamedDevice[]> {
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
  const notKept = [...scans.values()].map((theirs) => {
    const { keyId = '', serial } = theirs[0] ?? {};
    return deviceView(deviceThatScans(keyId, serial ?? ''), theirs, clock.now());
  });
  return [...views, ...notKept];
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

function deviceView(device: DeviceRecord, scans: readonly LogEntry[], now: number): UnnamedDevice {
  const { keyId, serial, model, address, firmware, lastContactAt } = device;
  const lastScanAt = scans[0]?.at ?? device.lastScanAt;
  return {
    keyId,
    serial,
    model,
    address,
    firmware,
    lastHeartbeatAt: lastContactAt,
    knownSince: device.firstAt,
    online: isOnline(lastContactAt ?? lastScanAt, now),
    clockDriftMs: lastContactAt === null ? null : clockDriftMs(device.clock, lastContactAt),
    lastScanAt,
    lastScans: scans.slice(0, DEVICE_SCANS_SHOWN).map(logEntryView),
  };
}
