import { contentOf, finalHead, headerOf, statusOf } from '../../kit/http1.ts';
import { parsedJson } from '../../kit/json-text.ts';
import type { WireMessage } from '../secrets/placeholders.ts';

/** The outcome of a request: an answer, or why it is missing. */
export type ReplayedAnswer = WireMessage | { readonly failure: string };

/** One difference between an answer and the recorded one. */
export interface Difference {
  /** `status`, `content-type`, `body`, or the path of a member of a JSON body: `holder.firstName`. */
  readonly what: string;
  /** The recorded value as JSON or text; undefined when there was none. */
  readonly recorded: string | undefined;
  readonly now: string | undefined;
  /** The outcome of a device file whose answer `now` is: of all its answers the most like the recorded one. */
  readonly nearest?: string | undefined;
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

/**
 * Compares an answer with the recorded one: status, content type, and the body member by member where it is JSON.
 * @param volatile names of members that differ from run to run: of them only the kind of value is compared
 */
export function differencesOf(
  recorded: WireMessage | undefined,
  now: ReplayedAnswer,
  volatile: ReadonlySet<string>,
): Difference[] {
  if (!recorded) {
    return 'failure' in now ? [] : [{ what: 'answer', recorded: undefined, now: firstLine(now) }];
  }
  if ('failure' in now)
    return [{ what: 'answer', recorded: firstLine(recorded), now: now.failure }];
  return [
    ...difference('status', String(statusOf(recorded.head)), String(statusOf(now.head))),
    ...difference('content-type', mediaType(recorded), mediaType(now)),
    ...bodyDifferences(
      contentOf(recorded.head, recorded.body),
      contentOf(now.head, now.body),
      volatile,
    ),
  ];
}

function bodyDifferences(
  recorded: Buffer,
  now: Buffer,
  volatile: ReadonlySet<string>,
): Difference[] {
  const [before, after] = [recorded, now].map((one) => parsedJson(one.toString()));
  if (before !== undefined && after !== undefined)
    return memberDifferences('', before, after, volatile);
  return recorded.equals(now) ? [] : difference('body', recorded.toString(), now.toString());
}

function memberDifferences(
  path: string,
  before: unknown,
  after: unknown,
  volatile: ReadonlySet<string>,
): Difference[] {
  if (isObject(before) && isObject(after)) {
    const names = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...names].flatMap((name) =>
      memberDifferences(
        path === '' ? name : `${path}.${name}`,
        before[name],
        after[name],
        volatile,
      ),
    );
  }
  if (volatile.has(path.slice(path.lastIndexOf('.') + 1)) && kindOf(before) === kindOf(after))
    return [];
  return difference(path === '' ? 'body' : path, shown(before), shown(after));
}

/** The kind of a value: two times are alike, a time and any other text are not. */
function kindOf(value: unknown): string {
  return typeof value === 'string' && TIME.test(value) ? 'time' : typeof value;
}

function difference(
  what: string,
  recorded: string | undefined,
  now: string | undefined,
): Difference[] {
  return recorded === now ? [] : [{ what, recorded, now }];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

const shown = (value: unknown): string | undefined => JSON.stringify(value);
const mediaType = ({ head }: WireMessage) =>
  headerOf(head, 'content-type')?.split(';')[0]?.trim().toLowerCase();
const firstLine = ({ head }: WireMessage) => finalHead(head).split('\r\n')[0];
