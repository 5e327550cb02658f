import { areAlike, escapeOf, templateOf } from './likeness.ts';
import { answerOf, statusOf } from './outcomes.ts';
import {
  ANSWER_VALUES,
  DENIALS,
  type DeviceFile,
  type FileAnswer,
  type FileSource,
  REQUEST_VALUES,
} from './schema.ts';
import { parseJsonPath } from './source.ts';
import {
  escapeFor,
  escapeIn,
  fillIn,
  isJson,
  isXmlType,
  parseTemplate,
  valuesIn,
} from './template.ts';

/** A problem, and its place in the file. */
export interface Problem {
  readonly at: readonly PropertyKey[];
  readonly what: string;
}

/** Characters that end a text in formats that do not escape them. */
const NASTY = '"\\<&>\'=\u0001';

/** Checks what the schema cannot: each outcome has an answer, templates are valid, and no denial looks like a grant. */
export function checkDeviceFile(file: DeviceFile): Problem[] {
  const problems = [...wrongPaths(file), ...wrongAnswers(file), ...wrongRequests(file)];
  // Answers are compared only when all templates are valid.
  return problems.length > 0 ? problems : [...likeAGrant(file), ...tooLong(file)];
}

function wrongAnswers(file: DeviceFile): Problem[] {
  const missing = DENIALS.filter((name) => !answerOf(file, name));
  const needed = missing.length === 0 ? [] : [notAnswered(missing)];
  const hasHeartbeat = file.requests.some(({ kind }) => kind === 'heartbeat');
  const heart =
    hasHeartbeat && !file.answers.heartbeat
      ? [{ at: ['answers'], what: 'heartbeat: is missing, because a request is a heartbeat' }]
      : [];
  const reserved = Object.keys(file.values ?? {})
    .filter((name) => (ANSWER_VALUES as readonly string[]).includes(name))
    .map((name) => ({ at: ['values', name], what: `"${name}" is already a value of the service` }));
  const templates = Object.entries(file.answers).flatMap(([name, answer]) =>
    answer ? wrongTemplate(file, name, answer) : [],
  );
  return [...needed, ...heart, ...reserved, ...templates];
}

function notAnswered(missing: readonly string[]): Problem {
  const what = `no answer for ${missing.join(', ')}: add them, or denied for every denial without an answer of its own`;
  return { at: ['answers'], what };
}

function wrongTemplate(file: DeviceFile, name: string, answer: FileAnswer): Problem[] {
  const at = ['answers', name, 'body'];
  const known = [...ANSWER_VALUES, ...Object.keys(file.values ?? {})];
  const { body = '', type = '' } = answer;
  const template = parseTemplate(body);
  if (typeof template === 'string') return [{ at, what: template }];
  const unknown = valuesIn(template).find((value) => !known.includes(value));
  if (unknown !== undefined) {
    return [{ at, what: `{{${unknown}}} is unknown; known: ${known.join(', ')}` }];
  }
  const escaping = escapeIn(template, type);
  if (valuesIn(template).length > 0 && !escaping) {
    const what = `values cannot be escaped for ${type}; use JSON, XML, a form or text/plain`;
    return [{ at: ['answers', name, 'type'], what }];
  }
  if (isXmlType(type) && body.toUpperCase().includes('<!DOCTYPE')) {
    return [{ at, what: 'a document type (<!DOCTYPE) can declare entities: leave it out' }];
  }
  if (!escaping || escaping !== escapeFor('application/json')) return [];
  const plain = Object.fromEntries(valuesIn(template).map((value) => [value, '1']));
  const what = wrongJson(
    fillIn(template, nastyValues(file), escaping),
    fillIn(template, plain, escaping),
  );
  return what === undefined ? [] : [{ at, what }];
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

/** What is wrong with an answer in JSON, filled in with the worst values and with plain ones. */
function wrongJson(worst: string, plain: string): string | undefined {
  if (worst === '') return undefined;
  if (!isJson(worst)) return 'not valid JSON when it is filled in; put texts in quotes';
  if (memberNames(worst) !== memberNames(plain)) return 'a value cannot be the name of a member';
  return hasTwice(worst)
    ? 'a member occurs twice: some devices read the first, others the last'
    : undefined;
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

/** For each value, the worst case. */
function nastyValues({ values = {}, relay }: DeviceFile): Record<string, string> {
  const own = Object.entries(values).map(([name, { as }]) => [
    name,
    as === 'number' ? '-7' : NASTY,
  ]);
  const numbers = { used: '1', allowed: '1', seconds: '5' };
  return {
    name: NASTY,
    note: NASTY,
    ...numbers,
    relay: relay?.in ?? 'in',
    ...Object.fromEntries(own),
  };
}

/** No device may take a denial for a grant, whatever the values are. */
function likeAGrant(file: DeviceFile): Problem[] {
  const { granted } = file.answers;
  return DENIALS.flatMap((name) => {
    const denial = answerOf(file, name);
    if (!denial || statusOf(denial, name) !== statusOf(granted, 'granted')) return [];
    if (!areAlike(granted, denial)) return [];
    const own = file.answers[name] ? name : 'denied';
    const what = `${own}: the answer to ${name} can be the same as granted; the device could not tell them apart`;
    return [{ at: ['answers', own], what }];
  }).filter(({ what }, index, all) => all.findIndex((one) => one.what === what) === index);
}

const LONGEST_NUMBER = '9999';

function tooLong(file: DeviceFile): Problem[] {
  const { name = 16, note = 32, body: max } = file.limits ?? {};
  if (max === undefined) return [];
  const values = { name: 'x'.repeat(name), note: 'x'.repeat(note) };
  const numbers = { used: LONGEST_NUMBER, allowed: LONGEST_NUMBER, seconds: LONGEST_NUMBER };
  const relay = [file.relay?.in ?? 'in', file.relay?.out ?? 'out'].sort(
    (one, other) => other.length - one.length,
  )[0] as string;
  return Object.entries(file.answers).flatMap(([outcome, answer]) => {
    if (!answer) return [];
    const text = fillIn(templateOf(answer), { ...values, ...numbers, relay }, escapeOf(answer));
    const bytes = Buffer.byteLength(text);
    if (bytes <= max) return [];
    const what = `${outcome}: can have ${bytes} bytes, more than limits.body allows (${max})`;
    return [{ at: ['answers', outcome, 'body'], what }];
  });
}

function wrongRequests({ requests, simulate }: DeviceFile): Problem[] {
  const scans = requests.filter(({ kind }) => kind === 'scan');
  const none = { at: ['requests'], what: 'one request must be a scan' };
  const simulated = [
    { at: ['scan'], request: simulate?.scan },
    { at: ['heartbeat'], request: simulate?.heartbeat },
    { at: ['passage', 'turned'], request: simulate?.passage?.turned },
    { at: ['passage', 'turnedBack'], request: simulate?.passage?.turnedBack },
  ];
  const templates = simulated.flatMap(({ at, request }) =>
    (['query', 'body'] as const).flatMap((member) =>
      unknownValues(request?.[member], ['simulate', ...at, member]),
    ),
  );
  const notRead = (['heartbeat', 'passage'] as const)
    .filter((part) => simulate?.[part] && !requests.some(({ kind }) => kind === part))
    .map((part) => ({ at: ['simulate', part], what: `no request of this file is a ${part}` }));
  return [
    ...(scans.length === 0 ? [none] : []),
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

function unknownValues(text: string | undefined, at: readonly string[]): Problem[] {
  const template = parseTemplate(text ?? '');
  if (typeof template === 'string') return [{ at, what: template }];
  const unknown = valuesIn(template).find(
    (one) => !(REQUEST_VALUES as readonly string[]).includes(one),
  );
  if (unknown === undefined) return [];
  return [{ at, what: `{{${unknown}}} is unknown; known: ${REQUEST_VALUES.join(', ')}` }];
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
