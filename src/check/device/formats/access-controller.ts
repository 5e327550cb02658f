import { DENIAL_NOTES } from '../../facts/device-answer.ts';
import { isRecord, parsedJson } from '../../facts/json.ts';
import { type DenialKind, type Format, jsonAnswer, STATUS_OF } from './format.ts';

/** Section 7.3, and for what it leaves open what the reference service shows. */
const NOTES: Readonly<Record<DenialKind, string>> = {
  ...DENIAL_NOTES,
  refusedKey: 'Kein Zugriff',
  unreadable: 'Ungültiges Ticket',
  limited: 'Zu viele Anfragen',
  failed: 'Serverfehler',
};

/** Section 2.4: the cloud-connected access controller. */
export const accessController: Format = {
  id: 'access-controller',
  features: { relay: true, display: true, heartbeat: true, serial: true },
  read(body) {
    const fields = parsedJson(body);
    if (!isRecord(fields) || !('Card' in fields)) return undefined;
    const { Card: card, Serial: serial, Reader: reader } = fields;
    if (typeof card !== 'string') return { code: undefined, serial, reader };
    return { code: Buffer.from(card, 'base64').toString('utf8'), raw: card, serial, reader };
  },
  grant: ({ name, note, relay, seconds }) =>
    jsonAnswer(200, {
      AcsRes: '1',
      ActIndex: String(relay),
      Time: String(seconds),
      Name: name,
      Note: note,
    }),
  denial: (kind) =>
    jsonAnswer(STATUS_OF[kind], { AcsRes: '0', ActIndex: '0', Time: '0', Note: NOTES[kind] }),
  textOf: (kind) => NOTES[kind],
};
