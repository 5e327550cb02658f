import { parseArgs } from 'node:util';
import { judgeRecord } from './check-history.ts';
import { readFacts } from './read-facts.ts';
import { historyFrom, readRecord } from './record.ts';

const USAGE =
  'Usage: node prove/history/main.ts --record FILE… --store sqlite:FILE|json:FILE\n' +
  'Exit code 0 when every promise was kept, 1 when one was broken, 2 when there is no verdict.';

try {
  process.exitCode = judge();
} catch (error) {
  // What cannot be read is no broken promise.
  console.error(`${error instanceof Error ? error.message : error}\n${USAGE}`);
  process.exitCode = 2;
}

function judge(): number {
  const { values } = parseArgs({
    options: { record: { type: 'string', multiple: true }, store: { type: 'string' } },
  });
  if (!values.record || !values.store) throw new Error('--record and --store are needed.');
  const history = historyFrom(values.record.flatMap(readRecord));
  const facts = readFacts(values.store);
  const problems = judgeRecord(history, facts);
  for (const { rule, text } of problems) console.log(`${rule}: ${text}`);
  const { operations } = history;
  console.log(
    `${operations.length} requests against ${facts.log.length} log entries: ${problems.length} broken promises`,
  );
  return problems.length > 0 ? 1 : 0;
}
