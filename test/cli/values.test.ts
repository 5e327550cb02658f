import { afterAll, beforeAll, expect, test } from 'vitest';
import { InProcess } from '../support/in-process.ts';

const folder = new InProcess();
let ticketId = '';

beforeAll(async () => {
  await folder.run('events create --name Pool');
  ticketId = (await folder.json('mint --event Pool'))[0].ticketId;
});
afterAll(() => folder[Symbol.asyncDispose]());

const KEY = 'keys create --name x --type hardware';
const WHOLE = ['', 'nope', '-1', '2,5', '1.5', '1e3', '0x3', ' 2 ', 'NaN', '99999999999999999999'];
const NUMBERS = WHOLE.filter((value) => value !== '1.5');
const TICKETS = ['', 'nope', 'tkt_', '17', 'tkt_ab12cd_0123'];
const TIMES = ['', 'nope', '1', '2027-02-30', '99999999999999999999'];

const counts = (option: string, values = WHOLE) => ({ option, values, says: /must be a whole/ });
const times = (option: string) => ({ option, values: TIMES, says: /is not a |does not exist in/ });
/** Codes are not repeated: anybody who reads one may enter. */
const ticket = (option: string) => ({ option, values: TICKETS, says: /must be a ticket: its id/ });

test.each([
  ['tickets list', counts('--limit')],
  ['log', counts('--limit')],
  ['log', counts('--after')],
  ['seed', counts('--count')],
  ['mint --event Pool', counts('--count')],
  ['mint --event Pool', counts('--uses')],
  ['mint --event Pool', counts('--scale')],
  ['organisations edit', { option: '--rate', values: NUMBERS, says: /must be a number/ }],
  ['organisations edit', counts('--burst')],
  ['organisations edit', counts('--quota')],
  ['organisations edit', counts('--keys-max')],
  [KEY, counts('--open-seconds')],
  ['tickets list', ticket('--after')],
  ['log', ticket('--ticket')],
  ['keys create --name x --type api', times('--expires')],
  ['log', times('--from')],
  ['log', times('--to')],
  ['log prune', times('--before')],
  ['explain x', times('--at')],
  ['stats', times('--from')],
  ['stats', times('--to')],
  ['mint --event Pool', times('--valid-from')],
  ['mint --event Pool', times('--valid-until')],
  ['tickets edit TICKET', times('--valid-until')],
])('%s names the option and its value: %o', async (command, expected) => {
  const { option, values, says } = expected;
  const words = command.replace('TICKET', ticketId).split(' ');
  for (const value of values) {
    const { code, failure, out, err } = await folder.run([...words, `${option}=${value}`]);
    expect({ value, code, failure, out }).toEqual({ value, code: 2, failure: 'usage', out: '' });
    expect(err).toMatch(new RegExp(`^ticketscan: ${option}\\b`));
    expect(err).toMatch(says);
    if (values !== TICKETS) expect(err).toContain(`"${value}"`);
  }
});

test.each(['tickets list --after', 'log --ticket'])(
  '%s takes an id as it is printed',
  async (line) => {
    const printed = ticketId.replace(/[a-z0-9]{5}(?=([a-z0-9]{5})*$)/g, ' $&');
    expect(printed).toMatch(/^tkt_[a-z0-9]{6}_( [a-z0-9]{5}){4}$/);
    expect(await folder.run([...line.split(' '), printed])).toMatchObject({ code: 0 });
  },
);

test('an address of another machine is told apart from plain HTTP on the network', async () => {
  const { code, err } = await folder.run('serve --host 300.1.1.1');
  expect(code).toBe(2);
  expect(err).toMatch(/^ticketscan: --host 300\.1\.1\.1 is not an address of this machine\./);
});
