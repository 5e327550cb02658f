import { rmSync } from 'node:fs';
import { expect, test } from 'vitest';
import { until } from '../../../prove/faults/run.ts';
import { Line } from '../../../prove/postgres/proxy.ts';
import { BUILT_PROGRAM, run, type ServerProcess, serve } from '../../../prove/world/program.ts';
import { newFolder } from '../../../prove/world/world.ts';
import { execute, postgresSchema } from '../../support/postgres/schema.ts';

const SIGN_IN = /name: (\S+) {2}password: (\S+)/;
const TOLD = /First sign-in|could not be created/;

/** What is on its way when the line is cut: a statement, the how-many-eth of its text, or its answer; and for how long it is cut. */
const MOMENTS = [
  ['CREATE TABLE state', 1, 'request', 'for long'],
  ['COMMIT\0', 1, 'request', 'for long'],
  ['COMMIT\0', 1, 'answer', 'for long'],
  ['SELECT count(*) AS tickets', 1, 'request', 'for long'],
  ['INSERT INTO administrative_record', 1, 'request', 'for long'],
  ['COMMIT\0', 2, 'request', 'shortly'],
  ['COMMIT\0', 2, 'answer', 'shortly'],
  ['COMMIT\0', 2, 'request', 'for long'],
  ['COMMIT\0', 2, 'answer', 'for long'],
] as const;

test.concurrent.each(MOMENTS)(
  'the line to an empty database is cut at %j (%i), the %s is lost, %s: somebody can sign in as the start said',
  async (text, time, what, howLong) => {
    const { url, remove } = await postgresSchema();
    await using line = await Line.start(() => Number(new URL(url).port));
    const overLine = new URL(url);
    overLine.port = String(line.port);
    const folder = newFolder('first-start');
    const place = { program: BUILT_PROGRAM, folder, storeUrl: overLine.href };
    let seen = 0;
    let isCut = false;
    const cut = () => {
      line.onSent = line.onAnswered = () => {};
      isCut = true;
      line.cut();
      if (howLong === 'shortly') line.restore();
    };
    line.onSent = (data) => {
      if (!data.includes(text)) return;
      seen += 1;
      if (seen !== time) return;
      if (what === 'request') cut();
      else line.onAnswered = cut;
    };

    const first = await serve(place).catch((error: Error) => error);
    const said = first instanceof Error ? '' : await toldBy(first);
    if (!(first instanceof Error)) await first.stop('SIGKILL');
    line.restore();
    const isMade = (await accountsIn(url)) > 0;
    const again = await serve(place);
    const [, name = '', password = ''] = SIGN_IN.exec(isMade ? said : await toldBy(again)) ?? [];

    expect(isCut).toBe(true);
    expect(await signIn(again, name, password)).toBe(201);
    expect(await accountsIn(url)).toBe(1);
    const { rows } = await execute("SELECT act FROM audit_log WHERE act LIKE 'account.%'", url);
    expect(rows).toEqual([{ act: 'account.create' }]);
    expect((await run({ ...place, storeUrl: url }, ['audit'])).code).toBe(0);
    await again.stop('SIGKILL');
    rmSync(folder, { recursive: true });
    await remove();
  },
);

async function toldBy(server: ServerProcess): Promise<string> {
  await until('it says how to sign in', () => TOLD.test(server.errors()), 40_000);
  return server.errors();
}

/** 0 also where not even the tables were made. */
async function accountsIn(url: string): Promise<number> {
  const count =
    "SELECT count(*)::integer AS accounts FROM administrative_record WHERE kind = 'account'";
  const result = await execute(count, url).catch(() => undefined);
  return result?.rows[0]?.accounts ?? 0;
}

async function signIn({ url }: ServerProcess, name: string, password: string): Promise<number> {
  const response = await fetch(`${url}/admin/v1/sessions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: url },
    body: JSON.stringify({ name, password }),
  });
  return response.status;
}
