import type { CheckCase } from '../cases/case.ts';
import { judging, reviewCases, ruling } from '../cases/matrix.ts';
import { NAME_BYTES_MAX, NOTE_BYTES_MAX, notStrings, usesInNote } from '../facts/device-answer.ts';
import { isRecord, show, whyUnreadable } from '../facts/json.ts';
import { expectAbsent, expectFields, objectOf } from '../judging/expect.ts';
import { DEVICE, endpointAt, HARDWARE } from '../requests/endpoint.ts';
import { GOOD, REFUSED } from '../samples/samples.ts';

const DENIED = [...REFUSED, 'forged', 'outOfScope'] as const;

const reviewCase = reviewCases(DEVICE, ['AcsRes']);

/** Section 2.4: the answer to a device, field by field. */
export const DEVICE_FORMAT_CASES: readonly CheckCase[] = [
  {
    id: '2.4/device-format',
    phase: 'review',
    requirement:
      'What is said to a device is a JSON object in UTF-8 with AcsRes, ActIndex, Time and Note, a denial too.',
    cause: 'Errors of device endpoints fall through to the REST error bodies.',
    ...ruling(HARDWARE, ({ answer, level, request }) => {
      // how a refused key or an internal error is told to a device is not shown
      if (level !== 'stated' || [401, 429].includes(answer.status) || answer.status >= 500)
        return undefined;
      const unreadable = whyUnreadable(answer);
      if (unreadable) return ['a JSON object in UTF-8', unreadable];
      if (endpointAt(request) === 'heartbeat') return undefined;
      const json = isRecord(answer.json) ? answer.json : {};
      const missing = ['AcsRes', 'ActIndex', 'Time', 'Note'].filter((name) => !(name in json));
      return missing.length === 0
        ? undefined
        : ['AcsRes, ActIndex, Time, Note', `${missing.join(', ')} missing`, missing];
    }),
  },
  reviewCase({
    id: '2.4/acs-res-values',
    requirement: 'AcsRes is "1" (granted) or "0" (denied).',
    cause: 'The result is a number, a boolean or a word.',
    wrong: ({ AcsRes }) =>
      AcsRes === '0' || AcsRes === '1'
        ? undefined
        : ['AcsRes: "0" or "1"', `AcsRes: ${show(AcsRes)}`, ['AcsRes']],
  }),
  reviewCase({
    id: '2.4/all-values-are-strings',
    requirement: 'All values of a device answer are strings.',
    cause: 'Numbers are sent as JSON numbers.',
    wrong: (answer) => {
      const found = notStrings(answer);
      const fields = found.map((one) => one.split(':')[0] ?? '');
      return found.length === 0 ? undefined : ['strings only', found.join(', '), fields];
    },
  }),
  reviewCase({
    id: '2.4/note-bytes',
    requirement: 'Note has at most 32 bytes and is no broken text.',
    cause: 'The text is cut by characters instead of bytes, in the middle of one, or not at all.',
    wrong: ({ Note }) =>
      typeof Note === 'string' ? textProblem('Note', Note, NOTE_BYTES_MAX) : undefined,
  }),
  reviewCase({
    id: '2.4/name-bytes',
    requirement: 'Name has at most 16 bytes and is no broken text.',
    cause: 'The text is cut by characters instead of bytes, in the middle of one, or not at all.',
    wrong: ({ Name }) =>
      typeof Name === 'string' ? textProblem('Name', Name, NAME_BYTES_MAX) : undefined,
  }),
  {
    id: '2.4/granted-fields',
    requirement: 'A granted answer has AcsRes "1", ActIndex "0" or "1", Time, Name and Note.',
    cause: 'A field is missing or misspelt, or a valid ticket is denied.',
    cells: judging(GOOD, DEVICE, (exchange, scan) => {
      const answer = expectFields(exchange, { AcsRes: '1' });
      for (const name of ['ActIndex', 'Time', 'Name', 'Note']) {
        if (answer[name] === undefined) scan.fail(`${name}: string`, `${name}: missing`);
      }
    }),
  },
  {
    id: '2.4/act-index-values',
    requirement: 'ActIndex is "0" (IN) or "1" (OUT).',
    cause: 'The relay is named by a number or a word.',
    cells: judging(GOOD, DEVICE, (exchange, scan) => {
      const { ActIndex } = objectOf(exchange);
      if (ActIndex !== '0' && ActIndex !== '1')
        scan.fail('ActIndex: "0" or "1"', `ActIndex: ${show(ActIndex)}`);
    }),
  },
  {
    id: '2.4/time-of-a-grant',
    requirement: 'Time is the door-open duration in seconds, so more than "0" on a grant.',
    cause: 'The duration is missing, has a unit or is zero: the door would not open.',
    cells: judging(GOOD, DEVICE, (exchange, scan) => {
      const { Time } = objectOf(exchange);
      if (!isOpenFor(Time)) scan.fail('Time: seconds, more than 0', `Time: ${show(Time)}`);
    }),
  },
  reviewCase({
    id: '2.4/every-grant-opens',
    requirement:
      'Every grant of the run opens a door: ActIndex "0" or "1", Time more than 0, a Name, and the Note of a grant.',
    cause: 'Some grants are made elsewhere: from a cache, by another server or for a repeat.',
    wrong: ({ AcsRes, ActIndex, Time, Name, Note }) => {
      const isWhole = /^[01]$/.test(String(ActIndex)) && isOpenFor(Time);
      return String(AcsRes) !== '1' || (isWhole && typeof Name === 'string' && usesInNote(Note))
        ? undefined
        : [
            'ActIndex: "0" or "1", Time: more than 0, Name, Note: Ticket gültig (<used>/<allowed>)',
            show({ ActIndex, Time, Name, Note }),
            ['ActIndex', 'Time', 'Name', 'Note'],
          ];
    },
  }),
  {
    id: '2.4/denied-fields',
    requirement: 'A denied answer has AcsRes "0", ActIndex "0", Time "0" and a Note.',
    cause: 'A denial is sent in the REST format, or leaves the door time in.',
    cells: judging(DENIED, DEVICE, (exchange, scan) => {
      const { Note } = expectFields(exchange, { AcsRes: '0', ActIndex: '0', Time: '0' });
      if (typeof Note !== 'string' || Note === '') scan.fail('Note: text', `Note: ${show(Note)}`);
    }),
  },
  {
    id: '2.4/name-absent-on-denial',
    level: 'observed',
    requirement: 'Name is absent in the denied example.',
    cause: 'The holder is shown at a gate that stays closed.',
    cells: judging(['exhausted'], DEVICE, (exchange) => expectAbsent(exchange, ['Name'])),
  },
  {
    id: '2.4/name-of-a-holder',
    requirement: 'Name has at most 16 bytes for a holder too, and is no broken text.',
    cause: 'The name is cut by characters instead of bytes, or inside a character.',
    cells: judging(['personalised'], DEVICE, (exchange, scan) => {
      const { Name } = objectOf(exchange);
      if (typeof Name !== 'string') scan.fail('Name: string', `Name: ${show(Name)}`);
      const problem = textProblem('Name', String(Name), NAME_BYTES_MAX);
      if (problem) scan.fail(problem[0], problem[1], undefined, problem[2]);
    }),
  },
  reviewCase({
    id: '2.4/denials-keep-the-door-shut',
    requirement: 'ActIndex and Time are "0" on every denial.',
    cause: 'The door time is set before the ticket is judged.',
    wrong: ({ AcsRes, ActIndex, Time }) =>
      AcsRes !== '0' || (ActIndex === '0' && Time === '0')
        ? undefined
        : [
            'ActIndex: "0", Time: "0"',
            `ActIndex: ${show(ActIndex)}, Time: ${show(Time)}`,
            ['ActIndex', 'Time'],
          ],
  }),
  {
    id: '2.4/content-type',
    level: 'unstated',
    requirement: 'The content type of an answer to a device.',
    cause: 'It is not shown.',
    cells: judging(['single'], DEVICE, ({ answer }) => answer.headers['content-type'] ?? 'none'),
  },
  {
    id: '2.4/name-of-a-ticket-without-holder',
    level: 'unstated',
    requirement: 'What Name shows for a ticket without a holder.',
    cause: 'It is not shown.',
    cells: judging(['single', 'multi', 'permanent'], DEVICE, (exchange) =>
      show(objectOf(exchange)['Name']),
    ),
  },
];

function isOpenFor(time: unknown): boolean {
  return /^\d+(\.\d+)?$/.test(String(time)) && Number(time) > 0;
}

function textProblem(
  name: string,
  text: string,
  bytesMax: number,
): [string, string, string[]] | undefined {
  const bytes = Buffer.byteLength(text);
  if (bytes > bytesMax)
    return [`${name}: at most ${bytesMax} bytes`, `${bytes} bytes: ${show(text)}`, [name]];
  return text.includes('\ufffd') || !text.isWellFormed()
    ? [`${name}: whole characters`, `a broken character: ${show(text)}`, [name]]
    : undefined;
}
