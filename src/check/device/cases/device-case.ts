import { Inconclusive, type PlainCase } from '../../cases/case.ts';
import type { Endpoint } from '../../facts/exchange.ts';
import { Deviation } from '../../facts/failures.ts';
import { isRecord, parsedJson } from '../../facts/json.ts';
import type { SessionKind } from '../../law/symptom-kinds.ts';
import type { Format } from '../formats/format.ts';
import type { SeenRequest } from '../http.ts';
import { OTHER_JSON_SCENES } from '../scenes/other-json.ts';
import type { SubjectKind } from '../session-record.ts';
import type { SessionResults } from './session-results.ts';

/** A case of `check device`: a requirement on a device or on client software, as a session shows it. */
export interface DeviceCase extends PlainCase<SessionResults> {
  readonly kind: SubjectKind;
  readonly endpoint: Endpoint;
  /** The scenes that show it, each a part by itself. */
  readonly scenes: readonly string[];
  /** A failure takes a use too many, or gives the key away. A door that opens wrongly is dangerous anyway. */
  readonly isDangerous?: true;
  /** It judges when something came: a judge that was late itself may see its own delay. */
  readonly isTimed?: true;
  /** It states that a card arrives: where none does in a whole session, nothing else can be seen of cards. */
  readonly statesArrival?: true;
  /** It judges what the door does between the scenes: a person is asked about that. */
  readonly asksBetween?: true;
  /** Why the case does not apply to this format; undefined when it does. */
  readonly skipReason?: (format: Format) => string | undefined;
}

/** A case as its author writes it. Its id says whom it is about. A case that names no scene is about `granted`. */
type Row = Omit<DeviceCase, 'id' | 'kind' | 'endpoint' | 'scenes' | 'run'> &
  Partial<Pick<DeviceCase, 'scenes'>>;

/** Makes a case of a row. @param id `4.6/device-opens-on-grant` */
export function deviceCase(id: string, row: Row & Pick<DeviceCase, 'run'>): DeviceCase {
  const kind = kindOf(id);
  const isOnHeartbeats = /^4\.5|heartbeat/.test(id);
  const endpoint = isOnHeartbeats ? 'heartbeat' : 'hw/consume';
  return {
    scenes: ['granted'],
    ...row,
    id,
    kind,
    endpoint: kind === 'client' ? 'consume' : endpoint,
  };
}

function kindOf(id: string): SubjectKind {
  return id.includes('/client-') ? 'client' : 'device';
}

/** A case that fails with the first request that is wrong. */
export function eachRequest(
  id: string,
  {
    of,
    expected,
    wrong,
    about,
    ...row
  }: Row & {
    /** What of a wrong request it is about. */
    readonly about?: (request: SeenRequest, results: SessionResults) => readonly SessionKind[];
    readonly of: (results: SessionResults) => readonly SeenRequest[];
    readonly expected: string | ((results: SessionResults) => string);
    /** What is seen in place of it; undefined when the request is right. */
    readonly wrong: (request: SeenRequest, results: SessionResults) => string | undefined;
  },
): DeviceCase {
  return deviceCase(id, {
    ...row,
    run(results) {
      for (const request of of(results)) {
        const observed = wrong(request, results);
        if (observed === undefined) continue;
        const right = typeof expected === 'string' ? expected : expected(results);
        throw new Deviation(right, observed, request, { fields: about?.(request, results) });
      }
    },
  });
}

/** Judges each scene; one that is not shown keeps no other from being judged. @throws Deviation, Inconclusive */
export function eachScene(scenes: readonly string[], judge: (scene: string) => void): void {
  let skipped: Inconclusive | undefined;
  for (const scene of scenes) {
    try {
      judge(scene);
    } catch (error) {
      if (!(error instanceof Inconclusive)) throw error;
      skipped ??= error;
    }
  }
  if (skipped) throw skipped;
}

/** What is expected of a door that must not open. */
export const SHUT = 'the door stays shut';
/** Scenes in which nothing can arrive. */
const WITHOUT_SERVER: readonly string[] = ['unreachable', 'known-unreachable', 'certificate'];
/** Answers that are no decision: a door that is set to open without an answer may open on them. */
const UNDECIDED: readonly string[] = [
  ...['no-answer', 'known-no-answer', 'late', 'cut', 'lost', 'unreachable', 'known-unreachable'],
  ...['malformed', 'empty', 'web-page', 'gateway', 'redirect', 'redirect-kept', 'no-decision'],
  ...['failed-grant', 'unavailable-grant', 'refused-grant'],
  ...OTHER_JSON_SCENES,
];
/** A device file defines no such decision. */
const UNDECIDED_IN_FILE: readonly string[] = [
  ...['odd-decision', 'longer-decision', 'nested-decision', 'true-decision'],
];

interface DoorRow extends Row {
  /** A card that is not posted is the deviation that is looked for. */
  readonly needsPost?: true;
  /** The scenes in which the door is looked at, where they are not all. */
  readonly opening?: readonly string[];
}

/**
 * A case on the door. `shut`: it stays shut, but for a door that is set to open without an answer where there is no decision.
 * `as-configured`: what it is set to, which section 7.3 leaves to the device.
 */
export function door(
  id: string,
  expect: 'open' | 'shut' | 'as-configured',
  scenes: readonly string[],
  { needsPost, opening = scenes, ...row }: DoorRow,
): DeviceCase {
  return deviceCase(id, {
    ...row,
    scenes,
    run(results) {
      const { failMode } = results.settings;
      const opens = expect === 'open' || (expect === 'as-configured' && failMode === 'safe');
      const played = results.played(opening);
      // Other cases judge whether a card that comes again is posted.
      const posted = played.filter((scene) => results.posts(scene).length > 0);
      const isPart = expect === 'open' && !needsPost && posted.length > 0;
      eachScene(isPart ? posted : played, (scene) => {
        if (opens) return mustOpen(results, scene, needsPost);
        if (failMode === 'safe' && isUndecided(results, scene))
          throw new Inconclusive('with --fail-mode safe the door may open or stay shut here', true);
        return mustStayShut(results, scene);
      });
      return opens ? undefined : statusesIn(results, scenes);
    },
  });
}

function isUndecided({ format }: SessionResults, scene: string): boolean {
  return UNDECIDED.includes(scene) || (!!format.file && UNDECIDED_IN_FILE.includes(scene));
}

/** @throws Deviation when the door stayed shut */
export function mustOpen(results: SessionResults, scene: string, needsPost?: true): void {
  const isAnswered = !WITHOUT_SERVER.includes(scene);
  if (needsPost && results.posts(scene).length === 0)
    throw new Deviation('a request with the card', 'none arrived', undefined, {
      cause: silenceOf(results, scene),
    });
  const request = isAnswered ? results.posted(scene).at(-1) : undefined;
  if (results.opened(scene)) return;
  const isSafe = results.settings.failMode === 'safe' && results.record.kind === 'device';
  const why = isSafe && UNDECIDED.includes(scene) ? ' (--fail-mode safe)' : '';
  // it also stays shut where the answer was late
  throw new Deviation(
    `the door opens${why}`,
    `it stayed shut on ${results.answerTo(request)}`,
    request,
    {
      isTimed: true,
      fields: isAnswered ? kindsOfAdmission(request) : kindsOfSilence(results, scene),
    },
  );
}

/** Where nothing came at all, nothing that is special about this card kept it away. */
function silenceOf(results: SessionResults, scene: string): string | undefined {
  if (results.cards.length === 0) return 'No card of this session was posted.';
  const { code } = results.presentation(scene);
  const times = Object.values(results.record.presentations).filter((one) => one.code === code);
  return times.length > 1 ? 'A card that was read before is not posted again.' : undefined;
}

/** @throws Deviation when the door opened, Inconclusive when no request shows that it was asked to */
export function mustStayShut(results: SessionResults, scene: string): void {
  const request = results.posts(scene).at(-1);
  if (results.opened(scene))
    throw new Deviation(SHUT, `it opened on ${results.answerTo(request)}`, request, {
      cause: causeOfOpening(results, scene, request),
      fields: kindsOfOpening(results, scene, request),
      isDangerous: true,
    });
  if (!request && !WITHOUT_SERVER.includes(scene)) throw new Inconclusive('no card was posted');
}

/** What a door does wrong that stays shut on an admission, from the plainest kind on. */
function kindsOfAdmission(request: SeenRequest | undefined): readonly SessionKind[] {
  const isInPieces = ['slow', 'chunked'].includes(request?.answer?.how ?? '');
  return ['an admission', ...(isInPieces ? (['an answer in pieces'] as const) : [])];
}

/**
 * What a door does wrong to which nothing was answered. Software may take silence for one more thing that it cannot read. With a device it
 * is a setting, and for a card that is known it may be a memory: neither shows what is done with answers.
 */
function kindsOfSilence(results: SessionResults, scene: string): readonly SessionKind[] {
  if (WITHOUT_SERVER.includes(scene)) return ['no answer', 'no server'];
  const isUnread = results.record.kind === 'client' && !isKnownCard(results, scene);
  return isUnread ? ['no decision', 'no answer'] : ['no answer'];
}

/**
 * What a door does wrong that opens, from the plainest kind on: one that opens on a denial, or for a card that it knows, opens on every
 * answer that says less than that.
 */
function kindsOfOpening(
  results: SessionResults,
  scene: string,
  request: SeenRequest | undefined,
): readonly SessionKind[] {
  if (!request?.answer || UNSENT.includes(request.answer.how))
    return kindsOfSilence(results, scene);
  const [, admits] = results.format.decision ?? [];
  const value = results.decisionIn(request);
  const isDecided =
    admits !== undefined && [admits, admits === true ? false : '0'].includes(value as never);
  const { status } = request.answer;
  return [
    'a denial',
    ...(isKnownCard(results, scene) ? (['a card admitted before'] as const) : []),
    ...(status === 200 ? [] : ([`HTTP ${status}`] as const)),
    ...(isDecided ? [] : (['no decision'] as const)),
  ];
}

/** Whether the card of this scene was admitted in the first one. */
function isKnownCard({ record: { presentations } }: SessionResults, scene: string): boolean {
  const { code } = presentations[scene] ?? {};
  return code !== undefined && presentations['granted']?.code === code;
}

const REMEMBERED = 'The card was admitted before in this session, and is remembered.';
const LEFT_OVER =
  'The late admission of the card before is taken for this answer: it was left over on the connection.';
const ACTED_ON_LATE =
  'The door opens on an admission that comes after the Wait Time: by then the person may be gone, and somebody else goes in.';
const SEARCHED = 'The text of the answer is searched, and not read as JSON.';
const NO_ANSWER = 'The door opens without an answer, too: half of one is taken for none.';
const LAST_ANSWER =
  'The display shows what an earlier card was answered: the device keeps its last admission, and takes it where it gets no decision.';

/** Scenes in which a device that keeps cards opens for one as well. */
const OF_KNOWN_CARDS = ['known-unreachable', 'known-denied'];

/** Whether the request before was admitted after the device had given up, and nothing else shows that it keeps cards. */
function isAfterLateAdmission(results: SessionResults, scene: string): boolean {
  const [first] = results.posts(scene);
  const before = results.cards.findLast(({ atMs }) => first !== undefined && atMs < first.atMs);
  if (!isAdmittedTooLate(results, before)) return false;
  const { presentations } = results.record;
  return !OF_KNOWN_CARDS.some((name) => presentations[name]?.seen.opened);
}

/** Whether the admission came when the device had given up. */
function isAdmittedTooLate(
  results: SessionResults,
  request: SeenRequest | undefined,
): request is SeenRequest {
  const { answer, atMs = 0 } = request ?? {};
  if (!request || answer?.how !== 'late') return false;
  const [, admits] = results.format.decision ?? [];
  return results.decisionIn(request) === admits && answer.atMs - atMs > results.settings.waitTimeMs;
}

/** Whether the door opened when the late admission of its own card had come. */
function actsOnLateAdmission(
  results: SessionResults,
  scene: string,
  request: SeenRequest | undefined,
): boolean {
  const [openedAtMs = 0] = results.presentation(scene).seen.openedAtMs ?? [];
  return isAdmittedTooLate(results, request) && openedAtMs >= (request.answer?.atMs ?? 0);
}

/** Whether the display shows the text of the last admission before this scene, of which its own answer has nothing. */
function showsEarlierAdmission(results: SessionResults, scene: string): boolean {
  const [, admits] = results.format.decision ?? [];
  const { seen, presentedAtMs } = results.presentation(scene);
  const before = results.cards.findLast(
    (card) => card.atMs < presentedAtMs && results.decisionIn(card) === admits,
  );
  const own = results.posts(scene).at(-1)?.answer;
  const isIn = (answer: SeenRequest['answer'], note: string) =>
    answer !== undefined && results.textOf(answer).includes(note);
  const isOfOwn = (note: string) => !UNSENT.includes(own?.how ?? 'lost') && isIn(own, note);
  return (seen.shown ?? []).some(
    ({ note }) => note !== '' && isIn(before?.answer, note) && !isOfOwn(note),
  );
}

/** What the answer, and the other scenes, say about why the door opened. */
function causeOfOpening(
  results: SessionResults,
  scene: string,
  request: SeenRequest | undefined,
): string | undefined {
  const isKnown = isKnownCard(results, scene);
  if (actsOnLateAdmission(results, scene, request)) return ACTED_ON_LATE;
  if (isAfterLateAdmission(results, scene)) return LEFT_OVER;
  if (showsEarlierAdmission(results, scene)) return LAST_ANSWER;
  if (!request) return isKnown ? REMEMBERED : undefined;
  const { answer } = request;
  return answer && !UNSENT.includes(answer.how)
    ? causeInAnswer(results, request, answer, isKnown)
    : undefined;
}

function causeInAnswer(
  results: SessionResults,
  request: SeenRequest,
  answer: NonNullable<SeenRequest['answer']>,
  isKnown: boolean,
): string | undefined {
  const { presentations } = results.record;
  if (!results.format.decision) return undefined;
  const [member, admits] = results.format.decision;
  const value = results.decisionIn(request);
  if (value === undefined && !isRecord(parsedJson(results.textOf(answer))))
    return presentations['empty']?.seen.opened
      ? 'Every answer that cannot be read opens the door.'
      : causeInText(results, results.textOf(answer), `"${member}":${JSON.stringify(admits)}`);
  if (value !== (admits === true ? false : '0')) return causeInValue(member, admits, value, answer);
  const isRemembered = isKnown && !presentations['denied-exhausted']?.seen.opened;
  if (answer.status === 200 && !isRemembered && isShutOnADenial(results)) return undefined;
  return causeInDenial(member, answer, isRemembered);
}

/** Whether the door stayed shut on another denial with HTTP 200: then the decision is looked at. */
function isShutOnADenial(results: SessionResults): boolean {
  const [, admits] = results.format.decision ?? [];
  const denies = admits === true ? false : '0';
  return Object.entries(results.record.presentations).some(([name, { seen }]) => {
    const post = results.posts(name).at(-1);
    const isDenied = post?.answer?.status === 200 && results.decisionIn(post) === denies;
    return isDenied && seen.opened === false;
  });
}

function causeInDenial(
  member: string,
  { status }: NonNullable<SeenRequest['answer']>,
  isRemembered: boolean,
): string {
  if (status !== 200) return `HTTP ${status} is taken for an admission.`;
  return isRemembered ? REMEMBERED : `${member} is not looked at.`;
}

/** Of what never came, or came late, the content decided nothing. */
const UNSENT: readonly string[] = ['lost', 'never', 'late'];

function causeInText(
  { record: { presentations } }: SessionResults,
  text: string,
  admission: string,
): string | undefined {
  if (!text.includes(admission)) return undefined;
  const isSearched = presentations['malformed']?.seen.opened !== false;
  if (isSearched) return SEARCHED;
  if (Array.isArray(parsedJson(text))) return 'What is in a list is taken for the answer.';
  return presentations['no-answer']?.seen.opened ? NO_ANSWER : SEARCHED;
}

function causeInValue(
  member: string,
  admits: unknown,
  value: unknown,
  { status }: NonNullable<SeenRequest['answer']>,
): string | undefined {
  if (value === admits) return status === 200 ? undefined : 'The HTTP status is not looked at.';
  const was = value === undefined ? 'missing' : JSON.stringify(value);
  return `${member} was ${was}; compare with exactly ${JSON.stringify(admits)}.`;
}

/** A device file may say another status than the one of the requirement. */
function statusesIn(results: SessionResults, scenes: readonly string[]): string | undefined {
  if (!results.format.file) return undefined;
  const statuses = scenes.flatMap((scene) => results.posts(scene).at(-1)?.answer?.status ?? []);
  return `answered with HTTP ${[...new Set(statuses)].join(', ')}, as the device file says`;
}
