import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { importGraph } from '../../scripts/import-graph.ts';

type Uses = ReadonlyMap<string, readonly string[] | 'all'>;

const COMMANDS = 'commands';

/** The table of docs/contributing/ARCHITECTURE.md: each room, and the rooms that it may use. */
function roomsOfTheMap(): Uses {
  const page = readFileSync('docs/contributing/ARCHITECTURE.md', 'utf8');
  const [, map = ''] = /^## The map\n([\s\S]*?)^## /m.exec(page) ?? [];
  const rows = [...map.matchAll(/^\| `([^`]+)` \|.*\| ?(.*) \|$/gm)];
  return new Map(rows.map(([, room = '', uses = '']) => [room, roomsIn(uses)]));
}

function roomsIn(cell: string): readonly string[] | 'all' {
  return cell === 'all' ? cell : [...cell.matchAll(/`([^`]+)`/g)].map(([, room = '']) => room);
}

/** What each room imports. */
function roomsOfTheCode(): Map<string, Set<string>> {
  const rooms = new Map<string, Set<string>>();
  for (const [file, imported] of importGraph(['src'])) {
    const room = roomOf(file);
    if (room === undefined) continue;
    const used = rooms.get(room) ?? new Set();
    for (const other of imported.map(roomOf)) {
      if (other !== undefined && other !== room) used.add(other);
    }
    rooms.set(room, used);
  }
  return rooms;
}

/** The room of a file; files beside the rooms are what others import, such as `src/index.ts`. */
function roomOf(file: string): string | undefined {
  if (/\/commands\/|command[^/]*[.]ts$/.test(file)) return COMMANDS;
  return /^src\/([^/]+)\//.exec(file)?.[1];
}

const map = roomsOfTheMap();
const code = roomsOfTheCode();

test('the map names every room of the code and no other', () => {
  expect([...map.keys()].sort()).toEqual([...code.keys()].sort());
});

test.each([...map].filter(([, uses]) => uses !== 'all'))(
  'the room %s uses those that the map allows: no other, and each',
  (room, uses) => {
    expect([...(code.get(room) ?? [])].sort()).toEqual([...uses].sort());
  },
);
