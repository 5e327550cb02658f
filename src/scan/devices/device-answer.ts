import { type Decision, isGranted } from '../../core/decision.ts';
import { DISPLAY_NAME_BYTES_MAX, DISPLAY_NOTE_BYTES_MAX } from '../../core/limits.ts';
import type { DoorSettings } from '../../core/records.ts';
import { DENIALS, UNDECIDED_NOTES } from '../../core/refusals/scans.ts';
import type { EncodedDecision } from '../../core/scan-requests.ts';
import { kindOf, type Ticket } from '../../core/ticket.ts';
import type { FileModel, FilledAnswer } from '../../device-files/file-model.ts';
import type { Denial } from '../../device-files/schema.ts';
import type { Message } from '../../device-files/source.ts';
import { truncateUtf8 } from '../../kit/text.ts';
import type { DeviceAnswer, DeviceScan } from './device-model.ts';

/** What a display shows on a denial, and when a request was not decided. */
export type NoteName = keyof typeof DENIALS | keyof typeof UNDECIDED_NOTES;

function noteOf(name: NoteName): string {
  return name in DENIALS
    ? DENIALS[name as keyof typeof DENIALS].note
    : UNDECIDED_NOTES[name as keyof typeof UNDECIDED_NOTES];
}

const KIND_NAMES = {
  single: 'Einzelticket',
  multi: 'Mehrfachkarte',
  permanent: 'Dauerkarte',
} as const;

/** A denial with one of the fixed notes. */
export function deny(name: NoteName): DeviceAnswer {
  return { granted: false, note: truncateUtf8(noteOf(name), DISPLAY_NOTE_BYTES_MAX) };
}

/** The answer to a device for a decision. Without a configured direction or relay, `reader` decides: even is IN, odd is OUT. */
export function deviceAnswer(
  decision: EncodedDecision,
  reader: string | null,
  door: DoorSettings,
): DeviceAnswer {
  if (!isGranted(decision)) return deny(denialOf(decision));
  const { ticket } = decision;
  return {
    granted: true,
    relay: relayFor(decision, relayOf(reader), door),
    openSeconds: door.openSeconds,
    name: truncateUtf8(displayName(ticket, door), DISPLAY_NAME_BYTES_MAX),
    note: truncateUtf8(grantNote(ticket), DISPLAY_NOTE_BYTES_MAX),
  };
}

interface FileQuestion {
  readonly door: DoorSettings;
  /** The direction that the device itself said. */
  readonly direction: DeviceScan['direction'];
  readonly message: Message;
}

/** The answer of a device file to a decision. */
export function decisionIn(
  model: FileModel,
  decision: EncodedDecision,
  { door, direction, message }: FileQuestion,
): FilledAnswer {
  if (!isGranted(decision)) return denialIn(model, denialOf(decision), message);
  const { ticket } = decision;
  const values = {
    name: displayName(ticket, door),
    note: grantNote(ticket),
    used: String(ticket.usesConsumed),
    allowed: String(ticket.usesAllowed),
    seconds: String(door.openSeconds),
    relay: model.relayWord(relayFor(decision, direction ?? 'in', door)),
  };
  return model.answer('granted', values, message);
}

/** The answer of a device file to a denial, and to a request that was not decided. */
export function denialIn(model: FileModel, why: Denial, message: Message): FilledAnswer {
  return model.answer(why, { note: noteOf(why) }, message);
}

type Denied = Exclude<Decision, { status: 'validated' | 'consumed' }>;

function denialOf(decision: Denied) {
  return decision.status === 'rejected' ? decision.reason : decision.status;
}

function grantNote({ usesConsumed, usesAllowed }: Ticket): string {
  return `Ticket gültig (${usesConsumed}/${usesAllowed})`;
}

/** What the key lets its displays show: the holder of the ticket or else its kind, only its kind, or nothing. It is not shortened. */
function displayName(ticket: Ticket, { nameOnDisplay = 'holder' }: DoorSettings): string {
  if (nameOnDisplay === 'none') return '';
  if (!ticket.holder || nameOnDisplay === 'kind') return KIND_NAMES[kindOf(ticket)];
  return `${ticket.holder.firstName} ${ticket.holder.lastName}`.trim();
}

/** A grant for the way out never opens the way in, whatever the door settings are. */
function relayFor(
  { direction }: EncodedDecision,
  otherwise: 'in' | 'out',
  { relay }: DoorSettings,
): 'in' | 'out' {
  if (direction === 'out') return 'out';
  return relay === 'auto' ? (direction ?? otherwise) : relay;
}

function relayOf(reader: string | null): 'in' | 'out' {
  return Math.abs(Number(reader ?? 0)) % 2 === 1 ? 'out' : 'in';
}
