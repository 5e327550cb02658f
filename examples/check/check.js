import {
  CheckUsageError,
  check,
  exitCodeOf,
  KEY_CHANGES,
  KeyAccessError,
  listCases,
  REPORT_FORMATS,
  readTarget,
  renderReport,
  sampleTargetFile,
  selectCaseIds,
  UnreachableError,
} from 'ticketscan/check';
import { startTicketscan } from 'ticketscan/testing';

console.log(`${listCases().length} cases, ${selectCaseIds({ only: ['3.2/*'] }).length} of 3.2`);
console.log(`reports: ${REPORT_FORMATS.join(' ')}; hooks: ${KEY_CHANGES.join(' ')}`);
console.log(`a target file to fill in has ${sampleTargetFile().split('\n').length} lines`);

// In your own tests the server under test stands here.
await using service = await startTicketscan({ seed: 'all-states' });
const { rest, hardware } = service.keys;
const { single, multi } = service.tickets;
const target = readTarget({ keys: { rest, hardware }, tickets: { single, multi } });
const keyHooks = {
  // In your own tests this asks the dashboard of your system.
  'disable-key': async () => {
    throw new KeyAccessError('keys cannot be disabled here', { optional: true });
  },
};
const options = { baseUrl: service.url, target, keyHooks };
const result = await check({ ...options, only: ['3.2/*'], consume: true });
console.log(
  `exit ${exitCodeOf(result, ['warned'])}`,
  renderReport('markdown', result).split('\n')[0],
);
for (const { id, followers } of result.findings) console.log(id, `${followers.length} follow`);

for (const wrong of [{ only: ['9.9/nothing'] }, { baseUrl: 'http://127.0.0.1:1' }]) {
  const error = await check({ ...options, ...wrong }).catch((reason) => reason);
  if (error instanceof CheckUsageError) console.log(`cannot be asked: ${error.message}`);
  else if (error instanceof UnreachableError) console.log('no answer');
  else throw error;
}
