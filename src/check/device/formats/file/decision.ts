import { answerMessage, openerOf } from '../../../../device-files/opening.ts';
import type { DeviceFile, FileCondition } from '../../../../device-files/schema.ts';
import { parseJsonPath, Source } from '../../../../device-files/source.ts';
import { isRecord, parsedJson } from '../../../facts/json.ts';
import type { Answer } from '../../http.ts';
import type { Alteration } from '../format.ts';

type Path = readonly (string | number)[];

/** What makes an answer an admission for the device of a file: what opens (`opensWhen`). */
export class FileDecision {
  readonly #file: DeviceFile;
  readonly #opens: ReturnType<typeof openerOf>;
  readonly #denial: Answer;

  /** @param denial the answer to a ticket that is used up */
  constructor(file: DeviceFile, denial: Answer) {
    this.#file = file;
    this.#opens = openerOf(file);
    this.#denial = denial;
  }

  /** True for an answer that a correct device takes for an admission. */
  mayAdmit({ status, body }: Answer): boolean {
    return this.#opens(answerMessage(status, body));
  }

  /** An admission with another decision in all of its places at once; undefined where no place of the body decides. */
  altered(grant: Answer, alteration: Alteration): Answer | undefined {
    const body = this.#file.opensWhen.reduce(
      (before, condition) => this.#alteredAt(condition, before, alteration),
      grant.body,
    );
    const answer = { ...grant, body };
    return body === grant.body || this.mayAdmit(answer) ? undefined : answer;
  }

  #alteredAt(condition: FileCondition, body: string, alteration: Alteration): string {
    const { json, status, equals } = condition;
    if (status || equals === undefined) return body;
    if (json !== undefined) return this.#alteredJson(parseJsonPath(json), body, alteration);
    const source = new Source(condition);
    const valueIn = (one: string) => source.valueIn(answerMessage(this.#denial.status, one));
    const [before, denied] = [valueIn(body), valueIn(this.#denial.body)];
    const after = alteration === 'denied' ? denied : other(before, alteration);
    // What is there twice, or encoded, cannot be changed alone.
    const isOnce = before !== undefined && before !== '' && body.split(before).length === 2;
    return isOnce && typeof after === 'string' ? body.replace(before, () => after) : body;
  }

  #alteredJson(path: Path, body: string, alteration: Alteration): string {
    const value = parsedJson(body);
    if (!isRecord(value)) return body;
    const denied = valueAt(parsedJson(this.#denial.body), path);
    put(value, path, alteration === 'denied' ? denied : other(valueAt(value, path), alteration));
    return JSON.stringify(value);
  }
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
