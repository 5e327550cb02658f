import type { IntegrationType } from './api-key.ts';
import type { ExitRule } from './direction.ts';
import type { KeyTerms } from './key-terms.ts';
import type { OrganisationLimits } from './limits.ts';
import type { NewLogEntry } from './scan-batch.ts';
import type { SheetSettings } from './sheet-settings.ts';

/** Who owns events and keys. */
export interface Organisation {
  readonly id: string;
  readonly name: string;
  readonly limits: OrganisationLimits;
  /** Where its gates are, such as `Europe/Berlin`; times are shown in UTC where it is missing. */
  readonly timeZone?: string;
  /** Made by `seed` beside the sample, so that a check can show the ticket of another organisation: never meant where none is named. */
  readonly sampleNeighbour?: true;
  readonly createdAt: number;
}

export interface EventRecord {
  readonly id: string;
  readonly organisationId: string;
  readonly name: string;
  readonly createdAt: number;
  /** Null for an event that lists and choices show; the tickets of an archived one scan as before. */
  readonly archivedAt: number | null;
}

/** The door settings of a hardware key, used for a grant. */
export interface DoorSettings {
  /** `auto`: IN for an even reader, OUT for an odd one. */
  readonly relay: 'auto' | 'in' | 'out';
  readonly openSeconds: number;
}

/** Section 2.1, without the value: that is shown once and kept only as a hash. */
export interface ApiKeyRecord extends DoorSettings, KeyTerms {
  readonly id: string;
  readonly organisationId: string;
  readonly name: string;
  readonly type: IntegrationType;
  readonly events: 'all' | readonly string[];
  readonly active: boolean;
  readonly createdAt: number;
}

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
