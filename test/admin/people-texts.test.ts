import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import {
  ACCOUNT_NAME_CHARACTERS_MAX,
  DEVICE_NAME_CHARACTERS_MAX,
  NAME_CHARACTERS_MAX,
  PHONE_NAME_CHARACTERS_MAX,
  REASON_CHARACTERS_MAX,
  SHEET_LINE_CHARACTERS_MAX,
  TOKEN_NAME_CHARACTERS_MAX,
} from '../../src/core/limits.ts';
import { TICKET_FIELDS } from '../../src/core/ticket-fields.ts';
import { OPERATIONS } from '../../src/features/all.ts';
import { type AdminAnswer, idOf, PASSWORD, redeemAsPhone } from './support/client.ts';
import { sharedService } from './support/shared-service.ts';

/** What people write: counted as people count, and never something that nobody sees. */
const at = sharedService({ store: 'sqlite' });

/** Two units of UTF-16, and one character for everybody. */
const SIGN = '😀';

interface Place {
  readonly max: number;
  readonly send: (text: string) => Promise<AdminAnswer | number>;
  /** The text that is kept, or that was refused when it looks empty. */
  readonly whenEmpty: 'refused' | 'left out';
}

let event: Promise<string> | undefined;
const eventId = () => {
  event ??= at.owner.post('/events', { name: 'Lake' }).then(({ json }) => json.id);
  return event;
};
const ticketOf = async () => idOf(await at.service.mint());
const keyOf = async () => (await at.owner.get('/keys')).json.items[0].id;
const newTicket = async (more: object) =>
  at.owner.post('/tickets', { event: await eventId(), type: 'single', ...more });
const editTicket = async (more: object) => at.owner.patch(`/tickets/${await ticketOf()}`, more);
const csv = { 'content-type': 'text/csv' };
const list = async (heading: string, text: string) =>
  at.owner.request(
    'POST',
    `/tickets/from-list?event=${await eventId()}`,
    `lastName,${heading}\nLovelace,${text}\n`,
    csv,
  );
async function undo(reason: string): Promise<AdminAnswer> {
  const code = await at.service.mint();
  await at.service.rest('consume', code);
  const [entry] = (await at.owner.get(`/log?ticket=${idOf(code)}`)).json.items;
  return at.owner.post(`/log/${entry.sequence}/undo`, { reason });
}
let number = 0;
const unlike = () => {
  number += 1;
  return String(number);
};
async function withWebhook(change: object): Promise<AdminAnswer> {
  const { owner } = at;
  const endpoint = { name: `W ${unlike()}`, url: 'https://hook.example.org/' };
  const { id } = (await owner.post('/webhooks', endpoint)).json;
  const answer = await owner.patch(`/webhooks/${id}`, change);
  await owner.delete(`/webhooks/${id}`);
  return answer;
}
async function removed(path: string, made: AdminAnswer): Promise<AdminAnswer> {
  if (made.status < 300) await at.owner.delete(`${path}/${made.json.id}`);
  return made;
}

const field = { whenEmpty: 'left out' } as const;
const name = { whenEmpty: 'refused', max: NAME_CHARACTERS_MAX } as const;

/** The texts of a ticket beside its holder, each in the place that it has in an operation. */
function ofTextFields(
  operation: string,
  send: (name: string, text: string) => ReturnType<Place['send']>,
): Readonly<Record<string, Place>> {
  const texts = Object.entries(TICKET_FIELDS).flatMap(([name, one]) =>
    one.kind === 'text' ? [[name, one.charactersMax] as const] : [],
  );
  return Object.fromEntries(
    texts.map(([name, max]) => [
      `${operation} ${name}`,
      { ...field, max, send: (text: string) => send(name, text) },
    ]),
  );
}

const PLACES: Readonly<Record<string, Place>> = {
  'POST /accounts name': {
    max: ACCOUNT_NAME_CHARACTERS_MAX,
    whenEmpty: 'refused',
    send: async (text) =>
      removed(
        '/accounts',
        await at.owner.post('/accounts', { name: text, role: 'viewer', password: PASSWORD }),
      ),
  },
  'POST /access-tokens name': {
    max: TOKEN_NAME_CHARACTERS_MAX,
    whenEmpty: 'refused',
    send: async (text) =>
      removed(
        '/access-tokens',
        await at.owner.post('/access-tokens', { name: text, role: 'viewer' }),
      ),
  },
  'POST /pairings/redeem name': {
    max: PHONE_NAME_CHARACTERS_MAX,
    whenEmpty: 'refused',
    send: async (text) => {
      const { id, token } = (await at.owner.post('/pairings', {})).json;
      const { status } = (await redeemAsPhone(at.service.url, token, text)).answer;
      await at.owner.delete(`/pairings/${id}`);
      return status;
    },
  },
  'PATCH /organisation name': {
    ...name,
    send: (text) => at.owner.patch('/organisation', { name: text }),
  },
  'PATCH /organisation sheets.lines[]': {
    max: SHEET_LINE_CHARACTERS_MAX,
    ...field,
    send: (text) => at.owner.patch('/organisation', { sheets: { lines: [text] } }),
  },
  'PATCH /organisation/sheets lines[]': {
    max: SHEET_LINE_CHARACTERS_MAX,
    ...field,
    send: (text) => at.owner.patch('/organisation/sheets', { lines: [text] }),
  },
  'POST /events name': { ...name, send: (text) => at.owner.post('/events', { name: text }) },
  'PATCH /events/:id name': {
    ...name,
    // Another name than that of the event that was made.
    send: async (text) =>
      at.owner.patch(`/events/${await eventId()}`, { name: text.replaceAll(SIGN, '🎫') }),
  },
  'POST /sites name': { ...name, send: (text) => at.owner.post('/sites', { name: text }) },
  'POST /keys name': {
    ...name,
    send: async (text) =>
      removed('/keys', await at.owner.post('/keys', { name: text, type: 'api', events: 'all' })),
  },
  'PATCH /keys/:id name': {
    ...name,
    send: async (text) => at.owner.patch(`/keys/${await keyOf()}`, { name: text }),
  },
  'POST /device-names name': {
    max: DEVICE_NAME_CHARACTERS_MAX,
    whenEmpty: 'refused',
    send: async (text) =>
      at.owner.post('/device-names', { key: await keyOf(), serial: 'S-1', name: text }),
  },
  'POST /webhooks name': {
    ...name,
    send: async (text) =>
      removed(
        '/webhooks',
        await at.owner.post('/webhooks', { name: text, url: 'https://hook.example.org/' }),
      ),
  },
  'PATCH /webhooks/:id name': { ...name, send: (text) => withWebhook({ name: text }) },
  'POST /tickets holder.firstName': {
    ...name,
    ...field,
    send: (text) => newTicket({ holder: { firstName: text, lastName: 'L' } }),
  },
  'POST /tickets holder.lastName': {
    ...name,
    ...field,
    send: (text) => newTicket({ holder: { firstName: 'F', lastName: text } }),
  },
  ...ofTextFields('POST /tickets', (name, text) => newTicket({ [name]: text })),
  'PATCH /tickets/:id holder.firstName': {
    ...name,
    ...field,
    send: (text) => editTicket({ holder: { firstName: text, lastName: 'L' } }),
  },
  'PATCH /tickets/:id holder.lastName': {
    ...name,
    ...field,
    send: (text) => editTicket({ holder: { firstName: 'F', lastName: text } }),
  },
  ...ofTextFields('PATCH /tickets/:id', (name, text) => editTicket({ [name]: text })),
  'POST /log/:sequence/undo reason': {
    max: REASON_CHARACTERS_MAX,
    whenEmpty: 'refused',
    send: undo,
  },
  'POST /tickets/from-list firstName': {
    ...name,
    ...field,
    send: (text) => list('firstName', text),
  },
  ...ofTextFields('POST /tickets/from-list', list),
};

/** Texts that are not what people write for people: ids, addresses, secrets, names of zones, and what is compared with a reference. */
const OTHERS =
  /^\S+ \S+ (?:events\[\]|ids\[\]|event|batch|after|account|device|key|serial|url|timeZone|insideFrom|ticketCode|password|current|next|to)$|\/(?:cancel|reinstate|delete) reference$/;

test('every text that an operation takes is tried here, or is none of people', () => {
  const found = OPERATIONS.flatMap((one) => {
    const { http, body } = one as { readonly http: string; readonly body?: unknown };
    if (!(body instanceof z.ZodType)) return [];
    const schema = z.toJSONSchema(body, { io: 'input', unrepresentable: 'any' });
    return textsIn(schema as Schema, '').map((path) => `${http} ${path}`);
  });
  const own = [...new Set(found)].filter((place) => !OTHERS.test(place));
  expect(own.filter((place) => !(place in PLACES))).toEqual([]);
  expect(own.length).toBeGreaterThan(18);
});

interface Schema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}

function textsIn(schema: Schema, path: string): string[] {
  const isText =
    [schema.type].flat().includes('string') &&
    !['enum', 'format', 'pattern', 'const'].some((one) => one in schema);
  const within = Object.entries(schema.properties ?? {}).flatMap(([name, one]) =>
    textsIn(one, path === '' ? name : `${path}.${name}`),
  );
  return [
    ...(isText ? [path] : []),
    ...within,
    ...(schema.items ? textsIn(schema.items, `${path}[]`) : []),
    ...(schema.anyOf ?? []).flatMap((one) => textsIn(one, path)),
  ];
}

async function answered({ send }: Place, text: string): Promise<number> {
  const answer = await send(text);
  return typeof answer === 'number' ? answer : answer.status;
}

/** A guest may have any name. */
const OF_GUESTS = /holder|from-list firstName/;
const NOT_OF_GUESTS = Object.entries(PLACES).filter(([place]) => !OF_GUESTS.test(place));

test.each(NOT_OF_GUESTS)('%s takes no code of a ticket', async (_, place) => {
  const code = await at.service.mint();
  // The longest texts have room for it.
  const codes = [code, code.slice(4), `${code.slice(0, 40)}\u200b${code.slice(40)}`];
  if (place.max >= 100) codes.push(Buffer.from(code).toString('base64'), `seen ${code}!`);
  for (const one of codes) expect(await answered(place, one), one).toBe(422);
  if (place.whenEmpty !== 'refused') expect(await answered(place, idOf(code))).toBeLessThan(300);
});

describe.each(Object.entries(PLACES))('%s', (_, place) => {
  const { max, whenEmpty } = place;
  const statusOf = async (text: string) => answered(place, text);

  test('takes as many signs as people count, and no more', async () => {
    expect(await statusOf(SIGN.repeat(max))).toBeLessThan(300);
    expect(await statusOf(SIGN.repeat(max + 1))).toBe(422);
    expect(await statusOf('x'.repeat(max + 1))).toBe(422);
    expect(await statusOf(`x${'\u0301'.repeat(20 * max)}`)).toBe(422);
  });

  test.each(['\u200b\u200b', '\u2800', '\u3164', '\u00ad', '\u2060 \ufeff'])(
    '%j is no text: nobody sees it',
    async (text) => {
      const status = await statusOf(text);
      if (whenEmpty === 'refused') expect(status).toBe(422);
      else expect(status).toBeLessThan(300);
    },
  );
});

test('what nobody sees is not kept as a text of a ticket', async () => {
  const { json } = await newTicket({ reference: '\u200b\u200b', note: '\u3164' });
  expect(json.items[0]).toMatchObject({ reference: null, note: null });
});

/** Spellings that look like one another on every screen. */
const ALIKE = ['Ü-99 A', '\u200bÜ-99 A', 'Ü-\u200d99 A\u00ad', 'U\u0308-99 A', 'Ü\u201199\u00a0A'];

test.each(ALIKE)('a reference that looks like another is the same: %j', async (kept) => {
  const { owner } = at;
  const own = (await owner.post('/events', { name: `Shop ${unlike()}` })).json.id;
  const order = { event: own, type: 'single', reference: kept };
  expect((await owner.post('/tickets', order)).status).toBe(201);
  for (const asked of ALIKE) {
    const query = `event=${own}&reference=${encodeURIComponent(asked)}`;
    expect((await owner.get(`/tickets?${query}`)).json.items, asked).toHaveLength(1);
    const again = { ...order, reference: asked, uniqueReference: true };
    expect((await owner.post('/tickets', again)).json.code).toBe('reference_known');
    const cancelled = await owner.post('/tickets/cancel', { event: own, reference: asked });
    const changed = await owner.post('/tickets/reinstate', { event: own, reference: asked });
    expect([cancelled.json.changed, changed.json.changed]).toEqual([1, 1]);
  }
});
