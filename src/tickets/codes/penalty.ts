const RUN_EXTRA_POINTS = 2;
const BLOCK_POINTS = 3;
const FINDER_POINTS = 40;
const BALANCE_POINTS = 10;

/**
 * A square of bits seen along one direction, 32 lines at a time: `words[i * wordsPerStep + w]` holds the cells at
 * position `i` of the lines 32 w to 32 w + 31, so one operation compares 32 lines.
 */
export interface PackedLines {
  readonly size: number;
  readonly wordsPerStep: number;
  readonly words: Int32Array;
}

/** How hard a symbol is to read (ISO/IEC 18004, 7.8.3): long runs, blocks, false finder patterns, uneven darkness. */
export function penaltyOf(rows: PackedLines, columns: PackedLines): number {
  return linesPenalty(rows) + linesPenalty(columns) + blockPenalty(rows) + balancePenalty(rows);
}

export function packedLines(size: number): PackedLines {
  const wordsPerStep = Math.ceil(size / 32);
  return { size, wordsPerStep, words: new Int32Array(size * wordsPerStep) };
}

function linesPenalty(lines: PackedLines): number {
  let points = 0;
  for (let word = 0; word < lines.wordsPerStep; word += 1) points += wordPenalty(lines, word);
  return points;
}

/**
 * Along 32 lines: three points for a run of five cells of one colour and one for each further cell; forty for
 * dark, light, three dark, light, dark with four light cells before or after, which looks like a finder pattern.
 */
function wordPenalty({ size, wordsPerStep, words }: PackedLines, word: number): number {
  const inside = insideMask(size, word);
  let points = 0;
  // Cells of the last steps, newest first; `equal` is where a cell equals the one before it.
  let [x1, x2, x3, x4, x5, x6] = [0, 0, 0, 0, 0, 0];
  let [equal1, equal2, equal3, longRun] = [0, 0, 0, 0];
  let [light1, light2, light3] = [0, 0, 0];
  // Where four light cells ended one to seven steps ago, and where the dark core ended one to four steps ago.
  let [four1, four2, four3, four4, four5, four6, four7] = [0, 0, 0, 0, 0, 0, 0];
  let [core1, core2, core3, core4] = [0, 0, 0, 0];
  for (let step = 0, at = word; step < size; step += 1, at += wordsPerStep) {
    const x0 = words[at] as number;
    const light0 = ~x0 & inside;
    const equal0 = step === 0 ? 0 : ~(x0 ^ x1) & inside;
    const run = equal0 & equal1 & equal2 & equal3;
    if (run !== 0) points += countOnes(run) + RUN_EXTRA_POINTS * countOnes(run & ~longRun);
    const core0 = x0 & ~x1 & x2 & x3 & x4 & ~x5 & x6;
    const four0 = light0 & light1 & light2 & light3;
    const before = core0 & four7;
    const after = core4 & four0;
    if ((before | after) !== 0) points += FINDER_POINTS * (countOnes(before) + countOnes(after));
    longRun = run;
    x6 = x5;
    x5 = x4;
    x4 = x3;
    x3 = x2;
    x2 = x1;
    x1 = x0;
    equal3 = equal2;
    equal2 = equal1;
    equal1 = equal0;
    light3 = light2;
    light2 = light1;
    light1 = light0;
    four7 = four6;
    four6 = four5;
    four5 = four4;
    four4 = four3;
    four3 = four2;
    four2 = four1;
    four1 = four0;
    core4 = core3;
    core3 = core2;
    core2 = core1;
    core1 = core0;
  }
  return points;
}

/** Three points for each two by two cells of one colour; they overlap. */
function blockPenalty({ size, wordsPerStep, words }: PackedLines): number {
  let blocks = 0;
  for (let at = 0; at < (size - 1) * wordsPerStep; at += 1) {
    const word = at % wordsPerStep;
    const isLastWord = word === wordsPerStep - 1;
    const here = words[at] as number;
    const below = words[at + wordsPerStep] as number;
    const hereNext = isLastWord ? 0 : (words[at + 1] as number);
    const belowNext = isLastWord ? 0 : (words[at + wordsPerStep + 1] as number);
    const same = ~(here ^ below);
    const sameOnRight = (same >>> 1) | (~(hereNext ^ belowNext) << 31);
    const sameAcross = ~(here ^ ((here >>> 1) | (hereNext << 31)));
    blocks += countOnes(same & sameOnRight & sameAcross & insideMask(size - 1, word));
  }
  return blocks * BLOCK_POINTS;
}

function balancePenalty({ size, words }: PackedLines): number {
  let dark = 0;
  for (let at = 0; at < words.length; at += 1) dark += countOnes(words[at] as number);
  return Math.abs(Math.ceil((dark * 100) / (size * size) / 5) - 10) * BALANCE_POINTS;
}

/** Ones for the lines of `word` that exist. */
function insideMask(size: number, word: number): number {
  const lines = size - word * 32;
  return lines >= 32 ? -1 : (1 << Math.max(0, lines)) - 1;
}

function countOnes(word: number): number {
  let bits = word - ((word >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
