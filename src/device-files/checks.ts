import { usualOpening, valueSets, wrongOpening } from './opening.ts';
import { answerOf, filled } from './outcomes.ts';
import {
  ANSWER_VALUES,
  DENIALS,
  type DeviceFile,
  type FileAnswer,
  type FileSource,
  type Problem,
  REQUEST_VALUES,
  type WrittenFile,
} from './schema.ts';
import { parseJsonPath } from './source.ts';
import {
  escapeIn,
  isJson,
  isJsonIn,
  isUnclosed,
  isXmlType,
  parseTemplate,
  type Template,
  valuesIn,
} from './template.ts';

/**
 * Checks what the schema cannot: each outcome has an answer, templates are valid, and what opens is said and never in a denial.
 * @returns the file with what opens, or its problems
 */
export function checkDeviceFile(written: WrittenFile): DeviceFile | Problem[] {
  const problems = [...wrongPaths(written), ...wrongAnswers(written), ...wrongRequests(written)];
  // Answers are filled in only when all templates are valid.
  if (problems.length > 0) return problems;
  const opensWhen = written.opensWhen ?? usualOpening(written);
  if (!opensWhen) return [{ at: ['answers', 'granted'], what: OPENING_MISSING }];
  const file = { ...written, opensWhen };
  const wrong = [...wrongOpening(file), ...tooLong(file)];
  return wrong.length > 0 ? wrong : file;
}

const OPENING_MISSING =
  'opensWhen is missing at the top level: say what in an answer opens the door, such as opensWhen: [{ json: open, equals: true }]';

function wrongAnswers(file: WrittenFile): Problem[] {
  const missing = DENIALS.filter((name) => !answerOf(file, name)).join(', ');
  const needed = `no answer for ${missing}: add them, or denied for every denial without an answer of its own`;
  const hasHeartbeat = file.requests.some(({ kind }) => kind === 'heartbeat');
  const heart = 'heartbeat: is missing, because a request is a heartbeat';
  const reserved = Object.keys(file.values ?? {}).filter((name) => isIn(name, ANSWER_VALUES));
  return [
    ...(missing === '' ? [] : [{ at: ['answers'], what: needed }]),
    ...(hasHeartbeat && !file.answers.heartbeat ? [{ at: ['answers'], what: heart }] : []),
    ...reserved.map((name) => ({
      at: ['values', name],
      what: `"${name}" is already a value of the service`,
    })),
    ...Object.entries(file.answers).flatMap(([name, answer]) =>
      answer ? wrongAnswer(file, name, answer) : [],
    ),
  ];
}

const isIn = (name: string, names: readonly string[]) => names.includes(name);

function wrongAnswer(file: WrittenFile, name: string, answer: FileAnswer): Problem[] {
  const at = ['answers', name, 'body'];
  const { body = '', type = '' } = answer;
  const template = parseTemplate(body);
  const known = [...ANSWER_VALUES, ...Object.keys(file.values ?? {})];
  const wrong = wrongPlaces(template, known);
  if (wrong !== undefined) return [{ at, what: wrong }];
  if (valuesIn(template).length > 0 && !escapeIn(template, type)) {
    const what = `values cannot be escaped for ${type}; use JSON, XML, a form or text/plain`;
    return [{ at: ['answers', name, 'type'], what }];
  }
  if (isXmlType(type) && body.toUpperCase().includes('<!DOCTYPE')) {
    return [{ at, what: 'a document type (<!DOCTYPE) can declare entities: leave it out' }];
  }
  if (!isJsonIn(template, type)) return [];
  const [plain, worst] = valueSets(file).map((values) => filled(answer, values));
  const what = wrongJson(worst ?? '', plain ?? '');
  return what === undefined ? [] : [{ at, what }];
}

/** What is wrong with the places of a template. */
function wrongPlaces(template: Template, known: readonly string[]): string | undefined {
  if (isUnclosed(template)) return 'a {{ is not closed: write {{note}}, for example';
  const unknown = valuesIn(template).find((value) => !known.includes(value));
  return unknown === undefined
    ? undefined
    : `{{${unknown}}} is unknown; known: ${known.join(', ')}`;
}

/** What is wrong with an answer in JSON, filled in with the worst values and with plain ones. */
function wrongJson(worst: string, plain: string): string | undefined {
  if (worst === '') return undefined;
  if (!isJson(worst)) return 'not valid JSON when it is filled in; put texts in quotes';
  if (memberNames(worst) !== memberNames(plain)) return 'a value cannot be the name of a member';
  return hasTwice(worst)
    ? 'a member occurs twice: some devices read the first, others the last'
    : undefined;
}

/** The name of a member, in a text that is valid JSON. */
const MEMBER = /"(?:[^"\\]|\\.)*"\s*:/g;

/** Whether an object of a JSON text has two members of one name: of those, `JSON.parse` shows the last. */
function hasTwice(text: string): boolean {
  // It shows the whole text as a member as well.
  let shown = -1;
  JSON.parse(text, function count(this: unknown, _name, value: unknown) {
    if (!Array.isArray(this)) shown += 1;
    return value;
  });
  return [...text.matchAll(MEMBER)].length > shown;
}

/** The members of a JSON text, in their order. */
function memberNames(text: string): string {
  const names: string[] = [];
  JSON.parse(text, (name, value: unknown) => {
    names.push(name);
    return value;
  });
  return JSON.stringify(names);
}

const LONGEST_NUMBER = '9999';

function tooLong(file: DeviceFile): Problem[] {
  const { name = 16, note = 32, body: max } = file.limits ?? {};
  if (max === undefined) return [];
  const values = { name: 'x'.repeat(name), note: 'x'.repeat(note) };
  const numbers = { used: LONGEST_NUMBER, allowed: LONGEST_NUMBER, seconds: LONGEST_NUMBER };
  const { in: inwards = 'in', out: outwards = 'out' } = file.relay ?? {};
  const relay = inwards.length > outwards.length ? inwards : outwards;
  return Object.entries(file.answers).flatMap(([outcome, answer]) => {
    if (!answer) return [];
    const bytes = Buffer.byteLength(filled(answer, { ...values, ...numbers, relay }));
    if (bytes <= max) return [];
    const what = `${outcome}: can have ${bytes} bytes, more than limits.body allows (${max})`;
    return [{ at: ['answers', outcome, 'body'], what }];
  });
}

function wrongRequests({ requests, simulate }: WrittenFile): Problem[] {
  const none = { at: ['requests'], what: 'one request must be a scan' };
  const simulated = [
    { at: ['scan'], request: simulate?.scan },
    { at: ['heartbeat'], request: simulate?.heartbeat },
    { at: ['passage', 'turned'], request: simulate?.passage?.turned },
    { at: ['passage', 'turnedBack'], request: simulate?.passage?.turnedBack },
  ];
  const templates = simulated.flatMap(({ at, request }) =>
    (['query', 'body'] as const).flatMap((member) => {
      const what = wrongPlaces(parseTemplate(request?.[member] ?? ''), REQUEST_VALUES);
      return what === undefined ? [] : [{ at: ['simulate', ...at, member], what }];
    }),
  );
  const notRead = (['heartbeat', 'passage'] as const)
    .filter((part) => simulate?.[part] && !requests.some(({ kind }) => kind === part))
    .map((part) => ({ at: ['simulate', part], what: `no request of this file is a ${part}` }));
  return [
    ...(requests.some(({ kind }) => kind === 'scan') ? [] : [none]),
    ...requests.flatMap(({ method = 'POST', path }, index) =>
      path === undefined && method !== 'POST' ? [withoutPath(index)] : [],
    ),
    ...notRead,
    ...templates,
  ];
}

function withoutPath(index: number): Problem {
  const what = 'a method other than POST needs a path of its own: the Card URL takes POST only';
  return { at: ['requests', index, 'method'], what };
}

/** Every `json:` of the file, wherever it stands. */
function wrongPaths(part: unknown, at: readonly PropertyKey[] = []): Problem[] {
  if (typeof part !== 'object' || part === null) return [];
  const { json } = part as Partial<FileSource>;
  const own = typeof json === 'string' ? wrongPath(json, [...at, 'json']) : [];
  const inner = Array.isArray(part)
    ? part.flatMap((one, index) => wrongPaths(one, [...at, index]))
    : Object.entries(part).flatMap(([name, one]) => wrongPaths(one, [...at, name]));
  return [...own, ...inner];
}

function wrongPath(json: string, at: readonly PropertyKey[]): Problem[] {
  try {
    parseJsonPath(json);
    return [];
  } catch (error) {
    return [{ at, what: (error as Error).message }];
  }
}
