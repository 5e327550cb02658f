import { afterAll, expect, test } from 'vitest';
import { CliFolder } from '../support/cli.ts';

const folder = new CliFolder();
afterAll(() => folder[Symbol.asyncDispose]());

const CENTRE = ['--centre', 'https://centre.example'];
const TOKEN = `tscn_site_${'x'.repeat(38)}`;

test.each([
  [['--site-token', TOKEN], '--site-token is for a site: name its centre with --centre.'],
  [['--max-age', '1h'], '--max-age is for a site: name its centre with --centre.'],
  [CENTRE, '--centre needs the token of the site: --site-token file:PATH.'],
  [[...CENTRE, '--site-token', 'abc'], 'is no token of a site, or is not whole.'],
  [[...CENTRE, '--site-token', TOKEN], 'is no token of a site, or is not whole.'],
  [[...CENTRE, '--site-token', 'file:missing'], 'no such file'],
  [[...CENTRE, '--site-token', TOKEN, '--max-age', 'soon'], '--max-age must be a time such as'],
  [['--centre', 'ftp://x', '--site-token', TOKEN], '--centre must be an http or https URL'],
  [['--centre', 'http://centre.example', '--site-token', TOKEN], 'Use https.'],
  [[...CENTRE, '--site-token', TOKEN, '--store', 'json:s.json'], 'A site needs a store that'],
  [[...CENTRE, '--site-token', TOKEN, '--store', 'memory:'], 'A site needs a store that'],
])('serve %j is refused before it makes a store', async (options, words) => {
  const { code, out, err } = await folder.run(['serve', '--port', '0', ...options]);
  expect([code, out]).toEqual([2, '']);
  expect(err).toContain(words);
  expect(err).not.toContain('New store');
  expect(err).not.toContain(TOKEN);
});

test('a copy of a centre says that its sites are asked, those that are not retired', async () => {
  const run = async (...args: string[]) => {
    const { code, err } = await folder.run(args);
    expect(code, err).toBe(0);
    return err;
  };
  await run('events', 'create', '--name', 'Summer');
  for (const name of ['North', 'South']) await run('sites', 'create', '--name', name);
  await run('sites', 'retire', 'South', '--yes');

  const said = await run('store', 'copy', 'sqlite:./ticketscan.db', 'sqlite:./copy.db');
  expect(said).toContain('The copy is that of a centre with 1 site: no event is decided there');
  const again = await run('sites', 'free', 'North', '--yes', '--store', 'sqlite:./copy.db');
  expect(again).toBe('');
});
