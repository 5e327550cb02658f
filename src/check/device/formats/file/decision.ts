import { answerOf, statusOf } from '../../../../device-files/outcomes.ts';
import { DENIALS, type DeviceFile, type FileCondition } from '../../../../device-files/schema.ts';
import { Condition, type Message, parseJsonPath } from '../../../../device-files/source.ts';
import { isRecord, parsedJson } from '../../../facts/json.ts';
import type { Answer } from '../../wire/answer.ts';
import type { Alteration } from '../format.ts';

type Path = readonly (string | number)[];

/**
 * What makes an answer an admission for the device of a file: its conditions for a grant (`simulate.granted`). Without them, the
 * places in which a grant differs from every denial.
 */
export class FileDecision {
  readonly #conditions: readonly Condition[] | undefined;
  readonly #places: readonly Path[];
  /** The device may look at the status alone. */
  readonly #byStatus: boolean;
  readonly #grant: Answer;
  readonly #denial: Answer;

  /**
   * @param grants two admissions with other values: what is in both belongs to the file
   * @param denial the answer to a ticket that is used up
   */
  constructor(file: DeviceFile, grants: readonly [Answer, Answer], denial: Answer) {
    const granted = file.simulate?.granted;
    this.#conditions = granted?.map((one) => new Condition(one));
    this.#byStatus = granted === undefined && hasOwnStatus(file);
    this.#places = granted ? granted.flatMap(placeOf) : constants(grants, denial);
    this.#grant = grants[0];
    this.#denial = denial;
  }

  /** True for an answer that a correct device may take for an admission, although the file does not define it as one. */
  mayAdmit(answer: Answer): boolean {
    if (this.#conditions) {
      const message = messageOf(answer);
      return this.#conditions.every((one) => one.holds(message));
    }
    if (answer.status !== this.#grant.status) return false;
    return this.#byStatus || this.#beginsLikeTheGrant(answer.body);
  }

  /** A device may read only the beginning of a text, up to where it differs from every denial. JSON is read as a whole. */
  #beginsLikeTheGrant(body: string): boolean {
    const grant = this.#grant.body;
    if (isRecord(parsedJson(grant))) return false;
    return commonStart(body, grant) > commonStart(this.#denial.body, grant);
  }

  /** An admission with another decision in all of its places at once; undefined where the file does not define what decides. */
  altered(grant: Answer, alteration: Alteration): Answer | undefined {
    const body = isRecord(parsedJson(grant.body))
      ? this.#alteredJson(grant.body, alteration)
      : this.#conditions && alteredText(grant.body, alteration);
    if (body === undefined || body === grant.body) return undefined;
    const answer = { ...grant, body };
    return this.mayAdmit(answer) ? undefined : answer;
  }

  #alteredJson(body: string, alteration: Alteration): string | undefined {
    if (this.#places.length === 0) return undefined;
    const value: unknown = JSON.parse(body);
    const denied = parsedJson(this.#denial.body);
    for (const path of this.#places) {
      const before = valueAt(value, path);
      put(value, path, alteration === 'denied' ? valueAt(denied, path) : other(before, alteration));
    }
    return JSON.stringify(value);
  }
}

/** How many characters two texts have in common at their beginning. */
function commonStart(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return length;
}

/** Whether no denial has the status of a grant. */
function hasOwnStatus(file: DeviceFile): boolean {
  const status = statusOf(file.answers.granted, 'granted');
  return DENIALS.every((name) => statusOf(answerOf(file, name) ?? {}, name) !== status);
}

function placeOf({ json, equals }: FileCondition): Path[] {
  return json === undefined || equals === undefined ? [] : [parseJsonPath(json)];
}

/** The places that are the same in each grant, and differ in a denial. */
function constants(grants: readonly [Answer, Answer], denial: Answer): Path[] {
  const [one, other] = grants.map(({ body }) => parsedJson(body));
  const denied = parsedJson(denial.body);
  return leaves(one).filter((path) => {
    const value = valueAt(one, path);
    return value === valueAt(other, path) && value !== valueAt(denied, path);
  });
}

function leaves(value: unknown, path: Path = []): Path[] {
  if (Array.isArray(value)) return value.flatMap((inner, index) => leaves(inner, [...path, index]));
  if (isRecord(value))
    return Object.entries(value).flatMap(([name, inner]) => leaves(inner, [...path, name]));
  return path.length === 0 ? [] : [path];
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (inner, part) =>
      typeof inner === 'object' && inner !== null
        ? (inner as Record<string | number, unknown>)[part]
        : undefined,
    value,
  );
}

/** Undefined removes the member. */
function put(value: unknown, path: Path, inner: unknown): void {
  const parent = valueAt(value, path.slice(0, -1));
  const last = path.at(-1);
  if (typeof parent !== 'object' || parent === null || last === undefined) return;
  (parent as Record<string | number, unknown>)[last] = inner;
}

/** A number that occurs in no answer. */
const ODD_NUMBER = 9998;

function other(value: unknown, alteration: Exclude<Alteration, 'denied'>): unknown {
  switch (alteration) {
    case 'missing':
      return undefined;
    case 'nested':
      return [value];
    case 'true':
      return value === true ? 'yes' : true;
    case 'longer':
      return typeof value === 'number' ? Number(`${value}0`) : `${String(value)}0`;
    case 'odd':
      if (typeof value === 'number') return ODD_NUMBER;
      return typeof value === 'string' ? `un-${value}` : null;
  }
}

/** An answer that is not JSON can only be changed as a whole. The conditions of the file show whether that changes the decision. */
function alteredText(body: string, alteration: Alteration): string | undefined {
  if (alteration === 'longer') return `${body}0`;
  return alteration === 'odd' ? `un-${body}` : undefined;
}

function messageOf({ status, body }: Answer): Message {
  return { status, text: body, isJson: isRecord(parsedJson(body)) };
}
