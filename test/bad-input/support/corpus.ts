import { readFileSync } from 'node:fs';

/** A request of the corpus, with all its bytes. */
export interface RequestCase {
  readonly group: string;
  readonly says: string;
  readonly bytes: Buffer;
  /** Names of answers; any of them will do. */
  readonly expect: readonly string[];
}

export interface NameCase {
  readonly group: 'names';
  readonly says: string;
  readonly name: 'record' | 'holder';
  readonly text: string;
  readonly expect: 'accepted' | 'refused';
}

export interface World {
  readonly parts: Readonly<Record<string, string>>;
  readonly heads: Readonly<Record<string, string>>;
  readonly keys: Readonly<Record<string, string>>;
  readonly codes: Readonly<Record<string, string>>;
  readonly ticketIds: Readonly<Record<string, string>>;
  readonly events: { readonly main: string; readonly other: string };
  readonly ts1Secret: string;
  readonly ts2Seed: string;
}

interface StoredCase {
  readonly group: string;
  readonly says: string;
  readonly to?: string;
  readonly bytes: string;
  readonly expect: string | readonly string[];
}

const [first = '', ...lines] = readFileSync('fixtures/bad-input/corpus.jsonl', 'utf8')
  .trim()
  .split('\n');

export const world = JSON.parse(first) as World;
const stored = lines.map((line) => JSON.parse(line) as StoredCase | NameCase);

export const nameCases = stored.filter((one): one is NameCase => one.group === 'names');
export const requestCases: readonly RequestCase[] = stored
  .filter((one): one is StoredCase => one.group !== 'names')
  .map(expanded);
export const requestGroups = [...new Set(requestCases.map(({ group }) => group))];

function expanded({ group, says, to, bytes, expect }: StoredCase): RequestCase {
  const body = named(bytes);
  const head =
    to === undefined ? '' : named(world.heads[to] ?? '').replace('@', String(body.length));
  return { group, says, bytes: Buffer.from(head + body, 'latin1'), expect: [expect].flat() };
}

/** Puts in what stands in the corpus by its name: parts, some of which hold others, and long runs. */
function named(text: string): string {
  const whole = text
    .replace(/‹×(\d+):([^‹›]*)›/gs, (_all, times: string, unit: string) =>
      unit.repeat(Number(times)),
    )
    .replace(/‹([^‹›×]+)›/g, (_all, name: string) => {
      const part = world.parts[name];
      if (part === undefined) throw new Error(`the corpus has no part ${name}`);
      return named(part);
    });
  return whole;
}
