import { globSync, readFileSync } from 'node:fs';
import { slowExpressions } from './slow-expressions.ts';

/** Files with expressions that the check cannot judge, and why they are linear all the same. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  'src/kit/text.ts': 'one class of characters',
  'src/check/requests/redact.ts': 'alternatives of literal texts',
  'src/check/planning/select.ts': 'a pattern from the command line, on the ids of cases',
  'src/record/secrets/disguises.ts': 'alternatives of literal texts',
  'src/kit/http1.ts': 'one line that begins with the name of a header',
  'src/record/secrets/placeholders.ts': 'begins with a sign that nothing in it repeats',
  'src/record/device-files/recognise.ts': 'a fixed list of names, in one member or tag at a time',
};

const files = globSync('src/**/*.{ts,tsx}').map((file) => file.replaceAll('\\', '/'));
let slow = 0;
for (const file of files) {
  for (const { line, expression, why } of slowExpressions(file, readFileSync(file, 'utf8'))) {
    if (why === 'is put together at run time' && file in EXCEPTIONS) continue;
    slow += 1;
    console.error(`${file}:${line} ${expression} ${why}`);
  }
}
if (files.length < 100) console.error('expressions: hardly any file was read; the check is broken');
process.exitCode = slow > 0 || files.length < 100 ? 1 : 0;
console.log(`expressions: ${files.length} files, ${slow} that can take too long`);
