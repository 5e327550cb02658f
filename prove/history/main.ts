import { parseArgs } from 'node:util';
import { checkHistory } from './check-history.ts';
import { readFacts } from './read-facts.ts';
import { historyFrom, readRecord } from './record.ts';

/**
 * node prove/history/main.ts --record clients.jsonl --store sqlite:./ticketscan.db
 * Exit code 0 when every promise was kept, 1 when one was broken, 2 for wrong use.
 */
const { values } = parseArgs({
  options: { record: { type: 'string', multiple: true }, store: { type: 'string' } },
});
if (!values.record || !values.store) {
  console.error('Usage: node prove/history/main.ts --record FILE… --store sqlite:FILE|json:FILE');
  process.exitCode = 2;
} else {
  const history = historyFrom(values.record.flatMap(readRecord));
  const facts = readFacts(values.store);
  const problems = checkHistory(history, facts);
  for (const { rule, text } of problems) console.log(`${rule}: ${text}`);
  const { operations } = history;
  console.log(
    `${operations.length} requests against ${facts.log.length} log entries: ${problems.length} broken promises`,
  );
  process.exitCode = problems.length > 0 ? 1 : 0;
}
