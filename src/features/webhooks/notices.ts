import { isoTime, monthOf } from '../../core/clock.ts';
import { undefinedOnConflict } from '../../core/errors.ts';
import type { DeviceNames } from '../../core/gate-name.ts';
import { isOnline } from '../../core/limits.ts';
import type { ApiKeyRecord, DeviceRecord } from '../../core/records.ts';
import { MINUTE_MS } from '../../kit/durations.ts';
import type { RecordStore } from '../../stores/record-store.ts';
import type { MonthOfKey } from '../keys/key-watches.ts';
import type { GateCounts } from '../statistics/minute-statistics.ts';
import type { Stored } from '../typed-records.ts';
import type {
  DenialsData,
  DeviceData,
  Notice,
  NoticesRecord,
  QuotaData,
} from './webhook-records.ts';
import { listStored, writeStored } from './webhook-records.ts';

/** How many notices of one organisation are kept: about 300 bytes each, in one record. */
const NOTICES_KEPT = 500;
/** How many denials at one gate, in how many minutes, make a notice. */
export const MANY_DENIALS = { count: 20, minutes: 5 } as const;
/** The shortest time between two notices about a gate. */
const DENIALS_AGAIN_MS = 30 * MINUTE_MS;
const QUOTA_PERCENTS = [95, 80];

/** The state of one organisation that is checked. */
export interface Observed {
  readonly now: number;
  readonly devices: readonly DeviceRecord[];
  readonly months: readonly MonthOfKey[];
  /** The last minutes of each gate. */
  readonly gates: readonly GateCounts[];
  readonly keys: ReadonlyMap<string, ApiKeyRecord>;
  readonly names: DeviceNames;
}

type NoticeState = Pick<NoticesRecord, 'offline' | 'quota' | 'denials'>;
type Finding = Pick<Notice, 'type' | 'data'>;

/** The result of one check of an organisation. */
interface Findings {
  readonly notices: readonly Finding[];
  readonly state: NoticeState;
}

/**
 * Compares the state with what was reported before.
 * @param known undefined on the first check, which reports nothing
 */
export function findingsOf(observed: Observed, known: NoticeState | undefined): Findings {
  const devices = deviceFindings(observed, new Set(known?.offline));
  const quota = quotaFindings(observed, known?.quota ?? {});
  const denials = denialFindings(observed, known?.denials ?? {});
  const notices = [...devices.found, ...quota.found, ...denials.found];
  return {
    notices: known === undefined ? [] : notices,
    state: { offline: devices.offline, quota: quota.reported, denials: denials.reported },
  };
}

function deviceFindings({ now, devices, keys, names }: Observed, before: ReadonlySet<string>) {
  const found: Finding[] = [];
  const offline: string[] = [];
  for (const { keyId, serial, model, lastContactAt } of devices) {
    // A device that only scans never said whether it is connected.
    if (lastContactAt === null) continue;
    const name = JSON.stringify([keyId, serial]);
    const isOffline = !isOnline(lastContactAt, now);
    if (isOffline) offline.push(name);
    if (isOffline === before.has(name)) continue;
    const data = {
      key: keyNamed(keys, keyId),
      gate: { name: names.of({ keyId, serial }) ?? null, serial, model },
      lastHeartbeatAt: isoTime(lastContactAt),
    } satisfies DeviceData;
    found.push({ type: isOffline ? 'device.offline' : 'device.online', data });
  }
  return { found, offline: offline.sort() };
}

function quotaFindings({ now, months, keys }: Observed, before: NoticeState['quota']) {
  const found: Finding[] = [];
  const reported: Record<string, number> = {};
  for (const { key, requestsInMonth, quotaPerMonth, usedUpAt } of months) {
    const name = `${monthOf(now)} ${key.id}`;
    const percent = QUOTA_PERCENTS.find((one) => requestsInMonth * 100 >= quotaPerMonth * one);
    if (percent === undefined) continue;
    reported[name] = Math.max(percent, before[name] ?? 0);
    if (percent <= (before[name] ?? 0)) continue;
    const counts = { percent, requestsInMonth, quotaPerMonth, usedUpAt: isoTime(usedUpAt) };
    const data = { key: keyNamed(keys, key.id), ...counts } satisfies QuotaData;
    found.push({ type: 'quota.warning', data });
  }
  return { found, reported };
}

function denialFindings({ now, gates, keys, names }: Observed, before: NoticeState['denials']) {
  const found: Finding[] = [];
  const recent = Object.entries(before).filter(([, at]) => Math.abs(now - at) < DENIALS_AGAIN_MS);
  const reported: Record<string, number> = Object.fromEntries(recent);
  for (const { keyId, serial, admitted, denied } of gates) {
    const name = JSON.stringify([keyId, serial]);
    if (denied < MANY_DENIALS.count || reported[name] !== undefined) continue;
    reported[name] = now;
    const counts = { denied, granted: admitted, minutes: MANY_DENIALS.minutes };
    const gate = { name: names.of({ keyId, serial }) ?? null, serial };
    const data = { key: keyNamed(keys, keyId), gate, ...counts } satisfies DenialsData;
    found.push({ type: 'denials.many', data });
  }
  return { found, reported };
}

function keyNamed(keys: Observed['keys'], id: string): { id: string; name: string | null } {
  return { id, name: keys.get(id)?.name ?? null };
}

/** The notices of all organisations, as they are stored. */
export class Notices {
  readonly #store: Pick<RecordStore, 'list' | 'write'>;
  #stored = new Map<string, Stored<NoticesRecord>>();

  constructor(store: Pick<RecordStore, 'list' | 'write'>) {
    this.#store = store;
  }

  /** Reads them again, because another process may have written. */
  async load(): Promise<void> {
    const all = await listStored(this.#store, 'webhook-notices');
    this.#stored = new Map(all.map((one) => [one.id, one]));
  }

  of(organisationId: string): NoticesRecord | undefined {
    return this.#stored.get(organisationId)?.value;
  }

  /**
   * Writes the findings together with the state, so that the next check does not find them again.
   * @param afterSequence the newest log entry
   */
  async write(
    organisationId: string,
    { notices: found, state }: Findings,
    at: number,
    afterSequence: number,
  ): Promise<void> {
    const before = this.#stored.get(organisationId);
    const { revision, value } = before ?? { revision: 0, value: { newest: 0, notices: [] } };
    if (found.length === 0 && before && isSame(state, before.value)) return;
    const added = found.map((notice, index) => ({
      ...notice,
      number: value.newest + index + 1,
      at,
      afterSequence,
    }));
    const record: NoticesRecord = {
      organisationId,
      newest: value.newest + added.length,
      notices: [...value.notices, ...added].slice(-NOTICES_KEPT),
      ...state,
    };
    const changed = { revision, value: record };
    const writing = writeStored(this.#store, 'webhook-notices', organisationId, changed);
    const stored = await writing.catch(undefinedOnConflict);
    if (stored) this.#stored.set(organisationId, stored);
    else await this.load();
  }
}

function isSame(state: NoticeState, { offline, quota, denials }: NoticesRecord): boolean {
  return JSON.stringify(state) === JSON.stringify({ offline, quota, denials });
}
