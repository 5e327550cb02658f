import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { refusedAddress, withoutPasswords } from '../../src/kit/secrets.ts';
import { describeStoreUrl } from '../../src/stores/open-store.ts';
import { InProcess } from '../support/in-process.ts';
import { FORMS, LOCAL, SECRET } from './support/forms-with-passwords.ts';

const folder = new InProcess(AbortSignal.abort());
afterAll(() => folder[Symbol.asyncDispose]());

test.each(FORMS)('no function for addresses repeats the password of %s', (form) => {
  for (const shown of [describeStoreUrl(form), refusedAddress(form)])
    expect(shown).not.toMatch(SECRET);
});

test.each(FORMS.filter((form) => /@|=|\/\//.test(form)))(
  'no message repeats the password of %s',
  (form) => {
    for (const text of [
      `"${form}" is wrong.`,
      `The folder /a/${form} does not exist: ${form}, (${form})`,
    ])
      expect(withoutPasswords(text)).not.toMatch(SECRET);
  },
);

test('what holds no password stays as it is', () => {
  for (const text of [
    'Use postgres://user@host/database or postgres://USER:PASSWORD@HOST:5432/DATABASE, HOST1:5432.',
    'Write to ada@example.org: name "Ada", note: ada@example.org.',
    'http://127.0.0.1:8080: refused; https://[::1]:8443/a:b, http://h:PORT',
    '/srv/node_modules/@scope/x/y.js and ./a@b/c.db',
    'First sign-in at http://h:1/  name: admin  password: abc-def',
    'Add --token=env:NAME, password=file:pw.txt, password_file=/run/secrets/pw',
    'postgres://one:5432,two:5432/db?host=/run/postgresql',
  ])
    expect(withoutPasswords(text)).toBe(text);
  for (const value of ['tickets.db', 'ftp://h/a', 'localhost:8080', './a b/c-1.db'])
    expect(refusedAddress(value)).toBe(value);
  expect(describeStoreUrl('sqlite:./ticketscan.db')).toBe('sqlite:./ticketscan.db');
});

/** Every place in which the address of a store can stand. */
const PLACES: readonly (readonly [
  string,
  (form: string) => Promise<{ out: string; err: string }>,
])[] = [
  ['option', (form) => folder.run(['config', 'show', '--store', form])],
  ['option, as JSON', (form) => folder.run(['config', 'show', '--json', '--store', form])],
  ['variable', (form) => folder.run('config show', { TICKETSCAN_STORE: form })],
  ['variable of events list', (form) => folder.run('events list', { TICKETSCAN_STORE: form })],
  [
    'configuration file',
    (form) => {
      writeFileSync(join(folder.path, 'c.json'), JSON.stringify({ store: form }));
      return folder.run('events list --config c.json');
    },
  ],
];

describe.each(PLACES)('the password of a store in the %s', (_, run) => {
  test('is not printed', async () => {
    for (const form of LOCAL) {
      const { out, err } = await run(form);
      expect(out + err, form).not.toMatch(SECRET);
    }
  });
});
