import { expect, test } from 'vitest';
import { refusalText } from '../../src/core/refusals/catalogue.ts';
import { sharedService } from './support/shared-service.ts';

const at = sharedService();

const NAME = { name: 'Field test', role: 'viewer' } as const;

/** A request whose one value does not fit, its field, and what the page says of it. */
const ROWS = [
  [
    'POST /accounts',
    { ...NAME, password: 'x'.repeat(2000) },
    'password',
    'may have at most',
    'darf höchstens',
  ],
  ['POST /accounts', { role: 'viewer', password: 'x' }, 'name', 'is missing', 'fehlt'],
  ['POST /accounts', { ...NAME, name: '', password: 'x' }, 'name', 'is missing', 'fehlt'],
  ['POST /accounts', { ...NAME, role: 'king' }, 'role', 'is not valid', 'ist nicht gültig'],
  [
    'POST /accounts',
    { ...NAME, password: 'short' },
    'password',
    'at least 12 characters',
    'mindestens 12 Zeichen',
  ],
  [
    'POST /password',
    { current: 'whatever it is', next: 'short' },
    'next',
    'at least 12 characters',
    'mindestens 12 Zeichen',
  ],
  ['PATCH /organisation', { name: 7 }, 'name', 'is not valid', 'ist nicht gültig'],
] as const;

test.each(ROWS)('%s with %j names its field and the reason, in both languages', async (...row) => {
  const [route, body, field, english, german] = row;
  const [method = '', path = ''] = route.split(' ');

  const { status, json } = await at.owner.request(method, path, body);

  expect(status).toBe(422);
  expect(json.field).toBe(field);
  const told = (language: 'en' | 'de') => refusalText(json.code, json.values ?? {}, language);
  expect(told('en')).toContain(english);
  expect(told('de')).toContain(german);
});
