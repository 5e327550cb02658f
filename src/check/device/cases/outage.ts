import type { SubjectKind } from '../formats/formats.ts';
import type { DeviceCase } from './device-case.ts';
import { NotShown, SubjectDeviation } from './facts.ts';

/** A case on cards that were read while there was no server, and that arrive when it is back: each takes a use, and the person is gone. */
export function silentAfterOutage(kind: SubjectKind): DeviceCase {
  return {
    id: `3.2/${kind}-silent-after-outage`,
    kind,
    endpoint: kind === 'device' ? 'hw/consume' : 'consume',
    level: 'observed',
    scenes: ['unreachable'],
    requirement:
      'When the server can be reached again, no ticket is sent that nobody presents now.',
    cause:
      'Tickets that could not be sent are kept and sent later: each takes a use, and nobody enters.',
    judge(facts) {
      const { up, back } = facts.record.marks;
      if (up === undefined || back === undefined) throw new NotShown('the scene was not played');
      const stray = facts.cards.find(({ atMs }) => atMs >= up && atMs < back);
      if (stray) throw new SubjectDeviation('no ticket', 'a ticket was sent', stray);
    },
  };
}
