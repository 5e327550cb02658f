import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { postgresHosts } from '../../../src/stores/postgres/address.ts';

function passwordFile(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'ticketscan-password-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'password'), text);
  return join(folder, 'password');
}

test('every server gets the password from the file, whatever its characters, and the other options stay', () => {
  const file = passwordFile('a p@ss:/?#%41 wörd\n');
  const query = `password_file=${file}&options=-c%20search_path%3Dgates`;
  const hosts = postgresHosts(`postgres://gate@one,two:5433/tickets?${query}`);
  expect(hosts.map(({ name }) => name)).toEqual(['one:5432', 'two:5433']);
  for (const { url } of hosts) {
    const { user, password, database } = new pg.Client(url);
    expect([user, password, database]).toEqual(['gate', 'a p@ss:/?#%41 wörd', 'tickets']);
    expect(new URL(url).searchParams.get('options')).toBe('-c search_path=gates');
    expect(url).not.toContain('password_file');
  }
});

test('a file that is missing or empty is named', () => {
  const url = (file: string) => `postgres://gate@one/tickets?password_file=${file}`;
  expect(() => postgresHosts(url('/nowhere/password'))).toThrow(
    /^password_file \/nowhere\/password in the URL of the store cannot be read: no such file or folder/,
  );
  expect(() => postgresHosts(url(passwordFile('\n')))).toThrow(/is empty: write the password/);
});
