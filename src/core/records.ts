import type * as z from 'zod';
import type { EventJson, KeyJson, OrganisationJson } from './codecs/records.ts';
import type { ExitRule } from './direction.ts';
import type { OrganisationLimits } from './limits.ts';
import type { NewLogEntry } from './scan-batch.ts';
import type { SheetSettings } from './sheet-settings.ts';

/** A record is never changed in place. */
type Frozen<Value> = Value extends object
  ? { readonly [Member in keyof Value]: Frozen<Value[Member]> }
  : Value;

/** Who owns events and keys. */
export type Organisation = Frozen<z.output<typeof OrganisationJson>>;

export type EventRecord = Frozen<z.output<typeof EventJson>>;

/** The door settings of a hardware key, used for a grant. */
export type DoorSettings = Pick<ApiKeyRecord, 'relay' | 'openSeconds'>;

/** Section 2.1, without the value: that is shown once and kept only as a hash. */
export type ApiKeyRecord = Frozen<z.output<typeof KeyJson>>;

/** An account as the scan log knows it. */
export type ScannerRecord = Pick<ApiKeyRecord, 'id' | 'organisationId' | 'name' | 'createdAt'>;

/** What can change of an organisation. */
export interface OrganisationChanges {
  readonly name?: string | undefined;
  /** Null for none. */
  readonly timeZone?: string | null | undefined;
  readonly limits?: Partial<OrganisationLimits> | undefined;
}

/** Also of what is kept beside it. */
export interface OrganisationEdit extends OrganisationChanges {
  readonly sheets?: Partial<SheetSettings> | undefined;
}

/** The fields that can change after creation. */
export type ApiKeyChanges = Partial<
  Pick<ApiKeyRecord, 'name' | 'events' | 'active' | 'relay' | 'openSeconds' | 'readers'>
> & {
  readonly onExit?: ExitRule | undefined;
  /** Null for never. */
  readonly expiresAt?: number | null | undefined;
  /** Empty for none. */
  readonly device?: string | undefined;
  /** A new end of the overlap that is running; both values of the key stay. */
  readonly previousUntil?: number | undefined;
};

/** How many people went in and out at an event since the count was reset. */
export interface Occupancy {
  readonly eventId: string;
  readonly entered: number;
  readonly exited: number;
  /** Milliseconds since 1970 UTC; null when it never was. */
  readonly resetAt: number | null;
}

/** People inside now: never below 0, because an exit may be counted whose entry was before the reset. */
export function peopleInside({ entered, exited }: Pick<Occupancy, 'entered' | 'exited'>): number {
  return Math.max(0, entered - exited);
}

/** A scan, or a use that was taken back. */
export interface LogEntry extends Omit<NewLogEntry, 'operation' | 'status'> {
  /** Orders the log; times do not, because clocks step. */
  readonly sequence: number;
  readonly operation: NewLogEntry['operation'] | 'undo';
  readonly status: NewLogEntry['status'] | 'undone';
  /** Of an `undone` entry: the entry that took the use, who took it back, and why. */
  readonly undo?: UndoNote;
  /** The entry that took this use back; absent while none did. Never in a file: it follows from `undo` of that entry. */
  readonly undoneBy?: number;
}

/** Why a use was taken back. */
export interface UndoNote {
  readonly sequence: number;
  readonly by: string;
  readonly reason: string;
}

/** A device, with the data of its last heartbeat. */
export interface DeviceRecord {
  readonly keyId: string;
  readonly model: string;
  readonly serial: string;
  readonly address: string;
  readonly firmware: string;
  /** Its clock then, in the device's own format; null when missing. */
  readonly clock: string | null;
  readonly lastContactAt: number;
}
