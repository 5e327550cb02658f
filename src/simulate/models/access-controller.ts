import { crc32 } from 'node:zlib';
import { jsonRecord } from '../../kit/json-text.ts';
import type { WireAnswer } from '../wire.ts';
import {
  bytesOf,
  type CardReading,
  type DeviceModel,
  type Heart,
  NAME_BYTES,
  NOTE_BYTES,
  type RequestFacts,
  toBase64,
  unreadable,
  type WireBody,
} from './device-model.ts';

const BASE64_TEXT = 9;
const FIRMWARE = 'TSIM-1.0';
const RELAYS: Readonly<Record<string, string>> = { '0': 'IN', '1': 'OUT' };

/** The model of section 2.4: a cloud-connected access controller. */
export const accessController: DeviceModel = {
  id: 'access-controller',
  defaultWaitTime: 30,
  cardBody(code, facts) {
    return json({
      type: BASE64_TEXT,
      DataLen: bytesOf(code),
      Card: toBase64(code),
      Serial: facts.serial,
      Reader: facts.reader,
      Index: facts.index,
      Status: 0,
      Input: 0,
      ...identity(facts),
    });
  },
  readCardAnswer,
  heart: {
    defaultEveryMs: 5000,
    body: heartbeatBody,
    fault: heartbeatFault,
  } satisfies Heart,
  standIn: {
    codeOf(body) {
      const card = jsonRecord(body)?.['Card'];
      if (typeof card !== 'string') return undefined;
      return /^[\w+/=-]*$/.test(card) ? Buffer.from(card, 'base64').toString('utf8') : '';
    },
    readerOf: (body) => String(jsonRecord(body)?.['Reader'] ?? ''),
    answer: ({ granted, name, note, out }) =>
      JSON.stringify(
        granted
          ? { AcsRes: '1', ActIndex: out ? '1' : '0', Time: '5', Name: name, Note: note }
          : { AcsRes: '0', ActIndex: '0', Time: '0', Note: note },
      ),
  },
};

/** Opaque to the server, and not the serial: the server has to send it back as it is. */
function heartbeatKey(serial: string): string {
  return crc32(serial).toString(16).padStart(8, '0').toUpperCase();
}

function heartbeatBody(facts: RequestFacts): WireBody {
  const now = clockDigits(facts.clockMs);
  return json({
    Key: heartbeatKey(facts.serial),
    Serial: facts.serial,
    Status: 0,
    Input: 0,
    Now: now,
    Crc: (crc32(now) & 0xffff).toString(16).padStart(4, '0').toUpperCase(),
    T1: '21.5',
    H1: '45',
    T2: '0',
    H2: '0',
    NextNum: facts.index + 1,
    Index: facts.index,
    ...identity(facts),
    IP: '192.168.1.50',
  });
}

/** Section 4.5: one field `Key`, whose value is taken from the request. */
function heartbeatFault(answer: WireAnswer, facts: RequestFacts): string | undefined {
  if (answer.status !== 200) return `HTTP ${answer.status} to a heartbeat`;
  const key = jsonRecord(answer.body)?.['Key'];
  if (key === undefined) return 'a heartbeat answer without Key';
  return key === heartbeatKey(facts.serial) ? undefined : 'a heartbeat answer with another Key';
}

function readCardAnswer(answer: WireAnswer): CardReading {
  const fields = jsonRecord(answer.body);
  if (!fields) return unreadable('the answer to a card is not a JSON object');
  const deviations: string[] = [];
  const text = (field: string): string => textOf(fields, field, deviations);
  const result = text('AcsRes');
  if (result !== '0' && result !== '1') return unreadable('AcsRes is neither "0" nor "1"');
  const relay = RELAYS[text('ActIndex')];
  if (!relay) deviations.push('ActIndex is neither "0" nor "1"');
  const time = text('Time');
  if (!/^\d+$/.test(time)) deviations.push('Time is not a number of seconds');
  const name = 'Name' in fields ? text('Name') : '';
  const note = text('Note');
  if (bytesOf(name) > NAME_BYTES) deviations.push(`Name is longer than ${NAME_BYTES} bytes`);
  if (bytesOf(note) > NOTE_BYTES) deviations.push(`Note is longer than ${NOTE_BYTES} bytes`);
  return {
    granted: result === '1',
    relay,
    openSeconds: Number(time) || 0,
    name,
    note,
    deviations,
  };
}

/** Section 2.4: all values are strings. A number is understood all the same, and noted. */
function textOf(fields: Record<string, unknown>, field: string, deviations: string[]): string {
  const value = fields[field];
  if (typeof value === 'string') return value;
  deviations.push(value === undefined ? `${field} is missing` : `${field} is not a string`);
  return typeof value === 'number' ? String(value) : '';
}

function json(fields: object): WireBody {
  return { contentType: 'application/json', body: JSON.stringify(fields) };
}

interface Identity {
  readonly Ver: string;
  readonly ID: string;
  readonly MAC: string;
}

/** What never changes about a device is made once, not for each of its posts. */
const identities = new Map<string, Identity>();
const IDENTITIES_MAX = 20_000;

function identity({ serial }: RequestFacts): Identity {
  let known = identities.get(serial);
  if (!known) {
    const pairs = heartbeatKey(`mac ${serial}`).match(/../g) ?? [];
    known = { Ver: FIRMWARE, ID: '1', MAC: ['02', '00', ...pairs].join('-') };
    if (identities.size >= IDENTITIES_MAX) identities.clear();
    identities.set(serial, known);
  }
  return known;
}

/** 16 digits: date, time and weekday (01 is Monday) in UTC. */
function clockDigits(clockMs: number): string {
  const date = new Date(clockMs);
  const digits = date.toISOString().slice(0, 19).replaceAll(/\D/g, '');
  return `${digits}0${date.getUTCDay() || 7}`;
}
