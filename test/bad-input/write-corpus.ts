import { mkdirSync, writeFileSync } from 'node:fs';
import { brokenBytes } from './cases/bytes.ts';
import { type Case, HEADS } from './cases/case.ts';
import { codes } from './cases/codes.ts';
import { contentTypes } from './cases/content-types.ts';
import { framing } from './cases/framing.ts';
import { hardwareBodies } from './cases/hardware.ts';
import { jsonShapes } from './cases/json-shapes.ts';
import { keys } from './cases/keys.ts';
import { type NameCase, names, retryNames } from './cases/names.ts';
import { paths } from './cases/paths.ts';
import { sizes } from './cases/sizes.ts';
import { timeLimits } from './cases/time-limits.ts';
import { CODES, EVENTS, KEYS, TICKET_IDS, TS1_SECRET, TS2_SEED } from './cases/world.ts';

const GROUPS: Readonly<Record<string, () => readonly (Case | NameCase)[]>> = {
  json: jsonShapes,
  bytes: brokenBytes,
  'content-types': contentTypes,
  sizes,
  codes,
  keys,
  hardware: hardwareBodies,
  paths,
  'retry-names': retryNames,
  names,
  framing,
  'time-limits': timeLimits,
};
const FOLDER = 'fixtures/bad-input';

/** What many cases have in common, by name; a later one may hold an earlier one. */
const PARTS: readonly (readonly [name: string, text: string])[] = [
  ...Object.entries({ ...CODES, ...KEYS }),
  ...Object.entries(CODES).map(([name, code]) => [`base64:${name}`, btoa(code)] as const),
  ['good', '{"ticketCode":"‹fresh›"}'],
  ['consume', 'POST /scan/consume HTTP/1.1\r\nHost: gate\r\n'],
  ['usual', 'x-api-key: ‹api›\r\nContent-Type: application/json\r\n'],
];

/** Parts and long runs by name, so that the file stays small and readable. The opposite is in the test that plays it. */
function compact(bytes: string): string {
  const text = PARTS.reduce((before, [name, part]) => before.replaceAll(part, `‹${name}›`), bytes);
  return text.replace(
    /([^‹›]{1,16}?)\1{24,}/gs,
    (run, unit: string) => `‹×${run.length / unit.length}:${unit}›`,
  );
}

/** The corpus as text: the world, then one case a line. */
export function badInputCorpus(): string {
  const world = {
    heads: HEADS,
    parts: Object.fromEntries(PARTS),
    keys: KEYS,
    codes: CODES,
    ticketIds: TICKET_IDS,
    events: EVENTS,
    ts1Secret: TS1_SECRET.toString('base64'),
    ts2Seed: TS2_SEED.toString('base64'),
  };
  const lines = Object.entries(GROUPS).flatMap(([group, make]) => {
    const seen = new Set<string>();
    return make().flatMap((one) => {
      const id = 'name' in one ? `${one.name} ${one.text}` : `${one.to ?? ''} ${one.bytes}`;
      if (seen.has(id)) return [];
      seen.add(id);
      const content = 'name' in one ? one : { ...one, bytes: compact(one.bytes) };
      return [JSON.stringify({ group, ...content })];
    });
  });
  return `${[JSON.stringify(world), ...lines].join('\n')}\n`;
}

if (import.meta.main) {
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(`${FOLDER}/corpus.jsonl`, badInputCorpus());
}
