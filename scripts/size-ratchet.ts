/**
 * Holds the size of each room of `src` where it is: more lines, files, small files or import lines than size.json says fail, fewer are
 * written down. `npm run lint` runs it; `node scripts/size-ratchet.ts --raise "why"` takes larger numbers over, with the reason.
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs';

const FILE = 'size.json';
const SMALL_LINES_MAX = 30;

type Measure = 'lines' | 'files' | 'smallFiles' | 'importLines';
type Size = Record<Measure, number>;

interface Kept {
  readonly rooms: Record<string, Size>;
  /** Lines of `features` and `operations` for each operation. */
  readonly linesPerOperation: number;
  /** Why numbers were raised, the newest last. */
  readonly raised: readonly string[];
}

function sizesOfRooms(): Record<string, Size> {
  const rooms: Record<string, Size> = {};
  for (const path of globSync('src/*/**/*.{ts,tsx,css}').sort()) {
    const room = path.split(/[/\\]/)[1] ?? '';
    rooms[room] ??= { lines: 0, files: 0, smallFiles: 0, importLines: 0 };
    const text = readFileSync(path, 'utf8');
    const lines = text.split('\n').length - 1;
    const size = rooms[room];
    size.lines += lines;
    size.files += 1;
    if (lines <= SMALL_LINES_MAX) size.smallFiles += 1;
    size.importLines += importLinesOf(text);
  }
  if (Object.keys(rooms).length === 0) throw new Error('src has no rooms: is this the checkout?');
  return rooms;
}

function importLinesOf(text: string): number {
  const statements = text.match(/^import [^;]*;/gm) ?? [];
  return statements.reduce((sum, one) => sum + one.split('\n').length, 0);
}

function linesPerOperation(rooms: Record<string, Size>): number {
  const sources = globSync('src/features/*/*operations.ts').map((path) =>
    readFileSync(path, 'utf8'),
  );
  const operations = sources.join('\n').match(/= operation\(\{/g)?.length ?? 0;
  if (operations === 0) throw new Error('no operations found in src/features');
  const lines = (rooms['features']?.lines ?? 0) + (rooms['operations']?.lines ?? 0);
  return Math.ceil(lines / operations);
}

/** What is larger than it may be, a sentence each. */
function excesses(now: Omit<Kept, 'raised'>, kept: Kept): string[] {
  const larger = Object.entries(now.rooms).flatMap(([room, size]) =>
    (Object.entries(size) as [Measure, number][])
      .filter(([measure, value]) => value > (kept.rooms[room]?.[measure] ?? 0))
      .map(
        ([measure, value]) =>
          `src/${room}: ${value} ${measure}, ${kept.rooms[room]?.[measure] ?? 0} so far`,
      ),
  );
  if (now.linesPerOperation > kept.linesPerOperation)
    larger.push(
      `${now.linesPerOperation} lines for each operation, ${kept.linesPerOperation} so far`,
    );
  return larger;
}

const kept = JSON.parse(readFileSync(FILE, 'utf8')) as Kept;
const rooms = sizesOfRooms();
const now = { rooms, linesPerOperation: linesPerOperation(rooms) };
const [flag, reason = ''] = process.argv.slice(2);
const larger = excesses(now, kept);
if (larger.length > 0 && flag === '--raise' && reason.trim() === '') {
  console.error('Say why: node scripts/size-ratchet.ts --raise "the reason"');
  process.exitCode = 2;
} else if (larger.length > 0 && flag !== '--raise') {
  console.error(larger.join('\n'));
  console.error(
    'Make it smaller, or say why it grew: node scripts/size-ratchet.ts --raise "the reason"',
  );
  process.exitCode = 1;
} else {
  const raised = larger.length > 0 ? [...kept.raised, reason.trim()] : kept.raised;
  const text = `${JSON.stringify({ ...now, raised }, null, 2)}\n`;
  if (text !== readFileSync(FILE, 'utf8')) writeFileSync(FILE, text);
}
