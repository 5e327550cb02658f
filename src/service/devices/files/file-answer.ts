import { isGranted } from '../../../core/decision.ts';
import type { DoorSettings } from '../../../core/records.ts';
import type { ToldDecision } from '../../../core/scan-batch.ts';
import type { FileModel, ToldAnswer } from '../../../device-files/file-model.ts';
import type { Denial } from '../../../device-files/schema.ts';
import type { Message } from '../../../device-files/source.ts';
import { displayName, NOTES } from '../device-answer.ts';
import type { DeviceScan } from '../device-model.ts';

interface Asked {
  readonly door: DoorSettings;
  /** As the device itself said. */
  readonly direction: DeviceScan['direction'];
  readonly message: Message;
}

/** The answer of a device file to a decision. */
export function decisionIn(
  model: FileModel,
  decision: ToldDecision,
  { door, direction, message }: Asked,
): ToldAnswer {
  if (!isGranted(decision)) {
    return denialIn(
      model,
      decision.status === 'rejected' ? decision.reason : decision.status,
      message,
    );
  }
  const { ticket } = decision;
  const values = {
    name: displayName(ticket),
    note: `Ticket gültig (${ticket.usesConsumed}/${ticket.usesAllowed})`,
    used: String(ticket.usesConsumed),
    allowed: String(ticket.usesAllowed),
    seconds: String(door.openSeconds),
    relay: model.relayWord(relayFor(decision.direction, direction, door)),
  };
  return model.answer('granted', values, message);
}

/** The answer of a device file to a denial, and to a request that was not decided. */
export function denialIn(model: FileModel, why: Denial, message: Message): ToldAnswer {
  return model.answer(why, { note: NOTES[why] }, message);
}

/** A grant for the way out never opens the way in. Odd and even readers are a rule of the documented model only. */
function relayFor(
  configured: ToldDecision['direction'],
  said: DeviceScan['direction'],
  { relay }: DoorSettings,
): 'in' | 'out' {
  if (configured === 'out') return 'out';
  return relay === 'auto' ? (configured ?? said ?? 'in') : relay;
}
