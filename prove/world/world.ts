import { createPrivateKey, sign } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BUILT_PROGRAM, mustRun, type ProgramPlace } from './program.ts';

export type Engine = 'sqlite' | 'json';

/** The files of a store in the folder of a run. */
export const STORE_FILES: Readonly<Record<Engine, string>> = {
  sqlite: 'ticketscan.db',
  json: 'ticketscan.json',
};

export interface WorldKey {
  readonly id: string;
  readonly value: string;
  readonly type: 'api' | 'hardware';
}

export interface WorldTicket {
  readonly id: string;
  readonly code: string;
  /** Another genuine code of the same ticket: uses are counted by ticket, not by code. */
  readonly otherCode: string;
}

export interface Limits {
  readonly ratePerSecond: number;
  readonly burst: number;
  readonly quotaPerMonth: number;
}

/** An organisation with its keys and tickets, as the clients know it. */
export interface Site {
  readonly limits: Limits;
  readonly keys: Readonly<Record<KeyName, WorldKey>>;
  readonly tickets: Readonly<Record<string, readonly WorldTicket[]>>;
}

export type KeyName = 'rest' | 'restScoped' | 'hardware' | 'hardwareScoped';

/** The organisations of a store. */
export interface Sites {
  /** Its keys are never short of tokens. */
  readonly open: Site;
  /** Its keys are short of tokens after a few requests at once. */
  readonly limited: Site;
  /** Its keys reach their quota after a few requests. */
  readonly metered: Site;
}

/** A store that is ready to be copied for any number of runs, and what its clients know. */
export interface World extends Sites {
  readonly engine: Engine;
  readonly folder: string;
}

const NO_LIMITS: Limits = { ratePerSecond: 1e6, burst: 1e6, quotaPerMonth: 1e9 };
const TIGHT_RATE: Limits = { ratePerSecond: 2, burst: 20, quotaPerMonth: 1e9 };
const TIGHT_QUOTA: Limits = { ratePerSecond: 1e6, burst: 1e6, quotaPerMonth: 40 };

const TICKETS_OF_LIMITED = 4;

export function newFolder(name: string): string {
  const parent = join(tmpdir(), 'ticketscan-prove');
  mkdirSync(parent, { recursive: true });
  return mkdtempSync(join(parent, `${name}-`));
}

/** A new store with three organisations. @param ticketsPerState in each state, in the organisation without limits */
export async function createWorld(engine: Engine, ticketsPerState: number): Promise<World> {
  const folder = newFolder(`world-${engine}`);
  return { engine, folder, ...(await seedSites(placeIn(folder, engine), ticketsPerState)) };
}

/** Adds the three organisations to the store of a place. The keyring must be in its folder, or is made there. */
export async function seedSites(place: ProgramPlace, ticketsPerState: number): Promise<Sites> {
  return {
    open: await seedSite(place, ticketsPerState, NO_LIMITS),
    limited: await seedSite(place, TICKETS_OF_LIMITED, TIGHT_RATE),
    metered: await seedSite(place, TICKETS_OF_LIMITED, TIGHT_QUOTA),
  };
}

/** A fresh copy of the world's store to run on. */
export function copyOf(world: World, name: string, program = BUILT_PROGRAM): ProgramPlace {
  const folder = newFolder(name);
  copyInto(world, folder);
  return placeIn(folder, world.engine, program);
}

export function copyInto(world: World, folder: string): void {
  cpSync(world.folder, folder, { recursive: true });
}

export function placeIn(folder: string, engine: Engine, program = BUILT_PROGRAM): ProgramPlace {
  return { program, folder, storeUrl: `${engine}:${join(folder, STORE_FILES[engine])}` };
}

/** What `seed` calls the keys that the load uses. */
const SEEDED_NAMES: Readonly<Record<KeyName, string>> = {
  rest: 'Box office',
  restScoped: 'Box office, Summer pool',
  hardware: 'Gates',
  hardwareScoped: 'Gates, Summer pool',
};

async function seedSite(place: ProgramPlace, count: number, limits: Limits): Promise<Site> {
  const { ratePerSecond, burst, quotaPerMonth } = limits;
  const flags = ['--rate', ratePerSecond, '--burst', burst, '--quota', quotaPerMonth].map(String);
  const target = JSON.parse(
    await mustRun(place, ['seed', '--json', '--count', String(count), ...flags]),
  );
  const listed = JSON.parse(await mustRun(place, ['keys', 'list', '--json'])) as {
    id: string;
    name: string;
    type: 'api' | 'hardware';
    active: boolean;
  }[];
  const keys = Object.fromEntries(
    Object.entries(SEEDED_NAMES).map(([name, label]) => {
      const newest = listed.findLast((key) => key.name === label);
      return [name, { ...newest, value: target.keys[name] }];
    }),
  ) as Site['keys'];
  const signs = secondSigner(place.folder);
  const tickets = Object.entries(target.tickets as Record<string, { code: string }[]>).map(
    ([state, list]) => [
      state,
      list.map(({ code }) => ({ id: code.split('.')[1], code, otherCode: signs(code) })),
    ],
  );
  return { limits, keys, tickets: Object.fromEntries(tickets) };
}

/** Signs the same ticket with the keyring's Ed25519 key: a second genuine code. */
function secondSigner(folder: string): (code: string) => string {
  const { keys } = JSON.parse(readFileSync(join(folder, 'ticketscan.keyring.json'), 'utf8')) as {
    keys: { format: string; secret: string }[];
  };
  const secret = keys.find((key) => key.format === 'TS2')?.secret ?? '';
  const key = createPrivateKey({
    key: Buffer.from(secret, 'base64url'),
    format: 'der',
    type: 'pkcs8',
  });
  return (code) => {
    const text = `TS2.${code.split('.')[1]}`;
    return `${text}.${sign(null, Buffer.from(text), key).toString('base64url')}`;
  };
}
