import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { InProcess } from '../../support/in-process.ts';

/** A PDF of empty pages. @param side in points */
function pdf(pages: number, side: number): string {
  const kids = Array.from({ length: pages }, (_, index) => `${index + 3} 0 R`).join(' ');
  const page = `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${side} 10] >>`;
  const objects = [
    '1 0 obj << /Type /Catalog /Pages 2 0 R >> endobj',
    `2 0 obj << /Type /Pages /Count ${pages} /Kids [${kids}] >> endobj`,
    ...Array.from({ length: pages }, (_, index) => `${index + 3} 0 obj ${page} endobj`),
  ];
  return `%PDF-1.4\n${objects.join('\n')}\ntrailer << /Root 1 0 R >>\n`;
}

test.each([
  ['of 20,000 pages', pdf(20_000, 10), /has 20000 pages, and at most 2000/],
  ['with a page of 1,000,000 points', pdf(1, 1_000_000), /longer than 200 inches/],
])('decode refuses a PDF %s before a page is drawn', async (_, content, message) => {
  await using folder = new InProcess();
  await folder.run('seed --count 1');
  writeFileSync(join(folder.path, 'odd.pdf'), content);
  const { code, out, err } = await folder.run('decode odd.pdf');
  expect(code).not.toBe(0);
  expect(out + err).toMatch(message);
});

test('an import refuses a line of millions of columns', async () => {
  await using folder = new InProcess();
  await folder.run('events create --name Pool');
  writeFileSync(join(folder.path, 'wide.csv'), `${'a,'.repeat(3_000_000)}\n`);
  const { code, err } = await folder.run('tickets import wide.csv');
  expect(code).toBe(2);
  expect(err).toContain('more than 1048576 bytes');
});

test('lines of a judged program are bounded in length and number', async () => {
  const { eachLine, limited } = await import('../../../src/check/commands/device/program-lines.ts');
  const stream = new PassThrough();
  const lines: string[] = [];
  eachLine(stream, (line) => lines.push(line));
  for (let piece = 0; piece < 200; piece += 1) stream.write('x'.repeat(1000));
  stream.end('\nnext\r\nlast');
  await new Promise((resolve) => stream.once('end', resolve));
  expect(lines.map((line) => line.length)).toEqual([64 * 1024, 4, 4]);
  const said: string[] = [];
  const say = limited((line) => said.push(line));
  for (let count = 0; count < 5000; count += 1) say('noise');
  expect(said).toHaveLength(1001);
  expect(said.at(-1)).toContain('left out');
});

/** One line that does not end in time, in each form of a list. */
const LONG_LINES: Readonly<Record<string, string>> = {
  'list.csv': `ticketId\n"${'a'.repeat(3_000_000)}`,
  'list.jsonl': `{"ticketId":"${'a'.repeat(3_000_000)}`,
  'array.json': `[\n{"ticketId":"${'a'.repeat(12_000_000)}"}]`,
  'open.json': `[\n{"ticketId":"${'a'.repeat(12_000_000)}`,
  'brackets.json': `[\n${'['.repeat(3_000_000)}`,
  'elements.json': `[\n${'{},'.repeat(1_000_000)}{}]`,
};

test.each(Object.entries(LONG_LINES))(
  '%s with a line that does not end is refused with its line',
  async (name, content) => {
    await using folder = new InProcess();
    await folder.run('events create --name Pool');
    writeFileSync(join(folder.path, name), content);
    const way = name.endsWith('csv') ? '--from-csv' : '--from-json';
    for (const line of [`tickets import ${name}`, `mint --event Pool ${way} ${name} --out o`]) {
      const { code, err } = await folder.run(line);
      expect([code, err]).toEqual([
        2,
        expect.stringMatching(/Line [12] has more than 1048576 bytes/),
      ]);
    }
  },
);
