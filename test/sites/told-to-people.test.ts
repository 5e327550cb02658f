import { join } from 'node:path';
import { expect, test } from 'vitest';
import { waitsForSites } from '../../src/features/sites/asked-events.ts';
import { openStore } from '../../src/stores/open-store.ts';
import { InProcess } from '../support/in-process.ts';
import { CentreHere, SiteHere } from './support.ts';

/** Runs commands on the store of a centre or of a site. */
function on(folder: InProcess, centre: CentreHere, file: string) {
  const store = `sqlite:${join(centre.folder, file)}`;
  return async (...words: string[]) => {
    const { code, out, err } = await folder.run([...words, '--store', store]);
    return { code, out, text: `${out}${err}` };
  };
}

/** What `doctor` finds because of sites, and what it says to do. */
async function found(run: ReturnType<typeof on>): Promise<string[]> {
  const { out } = await run('doctor', '--json', '--port', '0');
  const { findings } = JSON.parse(out) as {
    findings: { check: string; finding: string; advice: string }[];
  };
  return findings.flatMap(({ check, finding, advice }) =>
    check === 'sites' ? [`${finding} ${advice}`] : [],
  );
}

test('doctor says which events wait for which site, and what to do', async () => {
  await using folder = new InProcess();
  await using centre = await CentreHere.open();
  const atCentre = on(folder, centre, 'centre.db');
  for (const name of ['North', 'South']) await centre.token(name);
  expect(await found(atCentre)).toEqual([]);
  expect(await waitsForSites(centre.store)).toBeUndefined();

  await centre.rules.giveTo(centre.event, await centre.rules.find('North'));
  expect(await found(atCentre)).toEqual([
    expect.stringMatching(/"Summer pool" is on its way to "North", and decided nowhere/),
  ]);
  await centre.rules.askBack(centre.event);
  await centre.rules.free(await centre.rules.find('North'));
  await centre.store.forgetSite();
  expect(await waitsForSites(centre.store)).toContain('1 event is not decided here yet');
  const [asked = ''] = await found(atCentre);
  expect(asked).toMatch(
    /"Summer pool" may be at "(North|South)", "(North|South)", because this store/,
  );
  expect(asked).toContain('ticketscan sites free NAME');
});

test('a change, and freeing, say which sites were not heard since a centre was restored', async () => {
  await using folder = new InProcess();
  await using centre = await CentreHere.open();
  const atCentre = on(folder, centre, 'centre.db');
  for (const name of ['North', 'South']) await centre.token(name);
  const { id } = await centre.ticket(3);
  await centre.store.forgetSite();

  const { text } = await atCentre('tickets', 'cancel', id);
  expect(text).toMatch(/In force here; (North|South) not yet: it was never heard; /);
  const first = await atCentre('sites', 'free', 'North', '--yes');
  expect(first.text).toContain('1 event waits for other sites as well: ticketscan sites list.');
  const second = await atCentre('sites', 'free', 'South', '--yes');
  expect(second.text).toContain('1 event freed: up to 3 uses may be admitted twice.');
  expect(second.text).not.toContain('waits');
});

test('at a site, a list of sites says where that is, and doctor since when the centre was not heard', async () => {
  await using folder = new InProcess();
  await using centre = await CentreHere.open();
  const token = await centre.token('North');
  const site = await SiteHere.open(centre, token, 'north.db');
  const atSite = on(folder, centre, 'north.db');
  const { text } = await atSite('sites', 'list');
  expect(text).toContain('This is the site "North"; its centre http://127.0.0.1');
  expect(text).not.toContain('sites create');
  expect(await found(atSite)).toEqual([]);

  await site[Symbol.asyncDispose]();
  await setHeard(centre, 'north.db');
  expect((await found(atSite)).join()).toMatch(
    /The centre of the site "North", http:.*, was last heard at/,
  );
});

/** Writes down that the centre was heard two minutes ago. */
async function setHeard({ folder }: CentreHere, file: string): Promise<void> {
  const store = await openStore(`sqlite:${join(folder, file)}`);
  const stored = await store.read('site-progress', 'centre');
  const value = { ...(stored?.value as object), heardAt: Date.now() - 120_000 };
  const revision = stored?.revision ?? 0;
  await store.write({
    administrative: [{ kind: 'site-progress', id: 'centre', revision, value }],
    audit: [],
  });
  await store.close();
}
