import type { Level } from '../../cases/level.ts';
import { sessionCodes } from '../codes.ts';
import type { Format } from '../formats/format.ts';
import type { Observation, SessionRecord } from '../session.ts';
import type { DeviceSettings } from '../settings.ts';
import { isCard, isHeartbeat } from '../stage.ts';
import { pathOf, type SeenRequest } from '../wire/seen-request.ts';

/** A requirement that was not met, with the request that shows it. */
export class SubjectDeviation extends Error {
  override readonly name = 'SubjectDeviation';
  readonly expected: string;
  readonly observed: string;
  readonly request: SeenRequest | undefined;
  /** Where it is worse than what the case is otherwise about. */
  readonly level: Level | undefined;

  constructor(expected: string, observed: string, request?: SeenRequest, level?: Level) {
    super(`expected ${expected}, observed ${observed}`);
    this.level = level;
    this.expected = expected;
    this.observed = observed;
    this.request = request;
  }
}

/** Thrown where the session does not show whether the requirement is met; the case is then skipped. */
export class NotShown extends Error {
  override readonly name = 'NotShown';
  /** True when a check is complete without it. */
  readonly isOptional: boolean;

  constructor(message: string, isOptional = false) {
    super(message);
    this.isOptional = isOptional;
  }
}

/** The results of a session, as cases ask for them. */
export class Facts {
  readonly record: SessionRecord;
  readonly settings: DeviceSettings;
  readonly format: Format;
  readonly #codes: ReadonlySet<string>;

  constructor(record: SessionRecord, settings: DeviceSettings, format: Format) {
    this.record = record;
    this.settings = settings;
    this.format = format;
    this.#codes = new Set(sessionCodes(record.key));
  }

  /** The result of a presentation. @throws NotShown when there was none */
  seen(name: string): Observation {
    const found = this.record.observations[name];
    if (found) return found;
    throw new NotShown('the scene was not played');
  }

  /** Every card that was posted, well or badly. */
  get cards(): SeenRequest[] {
    return this.record.requests.filter((request) => isCard(request, this.format));
  }

  get heartbeats(): SeenRequest[] {
    return this.record.requests.filter((request) => isHeartbeat(request, this.format));
  }

  /** Cards and heartbeats: what was sent to the URLs of the setup. */
  get sent(): SeenRequest[] {
    return this.record.requests.filter(({ place }) => place === 'server');
  }

  /** The cards that were posted because of a presentation, also when they came after the next one. */
  posts(name: string): SeenRequest[] {
    const observation = this.seen(name);
    return this.cards.filter((request) => this.#causeOf(request) === observation);
  }

  /** The same, where the case does not apply without one. @throws NotShown when none was posted */
  posted(name: string): SeenRequest[] {
    const posts = this.posts(name);
    if (posts.length > 0) return posts;
    throw new NotShown('no card was posted');
  }

  /** Method and path of a request, with the key of the session hidden. */
  targetOf(request: SeenRequest): string {
    return `${request.method} ${pathOf(request).replace(this.record.key, '$KEY')}`;
  }

  /** Those of these scenes that could be played with this device. */
  played(scenes: readonly string[]): string[] {
    return scenes.filter((scene) => this.record.omitted[scene] === undefined);
  }

  /** Whether the door opened. @throws NotShown when nobody saw it, or no card was posted */
  opened(name: string): boolean {
    this.posted(name);
    return this.sawOpening(name);
  }

  /** The same, whether a card was posted or not. @throws NotShown when nobody saw it */
  sawOpening(name: string): boolean {
    const { opened } = this.seen(name).sight;
    if (opened !== undefined) return opened;
    throw new NotShown('nobody saw whether the door opened');
  }

  #causeOf(request: SeenRequest): Observation | undefined {
    const code = this.format.read(request)?.code;
    const isOurs = code !== undefined && this.#codes.has(code);
    return Object.values(this.record.observations)
      .filter((one) => one.presentedAtMs <= request.atMs && (!isOurs || one.code === code))
      .sort((a, b) => b.presentedAtMs - a.presentedAtMs)[0];
  }
}

/** A value that must be known. @throws NotShown when it is not */
export function known<T>(value: T | undefined, reason: string): T {
  if (value === undefined) throw new NotShown(reason);
  return value;
}
