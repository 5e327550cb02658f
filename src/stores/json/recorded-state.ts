import type { LogEntry } from '../../core/records.ts';
import { MemoryState } from '../memory/memory-state.ts';

type CollectionName = {
  [Name in keyof MemoryState]: MemoryState[Name] extends Map<string, unknown> ? Name : never;
}[keyof MemoryState];

/** What is kept by name. One that is forgotten here does not compile: its changes would not be on the disk. */
const COLLECTIONS: Readonly<Record<CollectionName, true>> = {
  organisations: true,
  events: true,
  keys: true,
  tickets: true,
  importedUses: true,
  requests: true,
  answers: true,
  devices: true,
};

/** A change as the log has it. `edit` carries only the members that are different now. */
export type Change =
  | readonly ['set', CollectionName, string, unknown]
  | readonly ['edit', CollectionName, string, Readonly<Record<string, unknown>>]
  | readonly ['delete', CollectionName, string]
  | readonly ['scan', LogEntry];

/** A state that takes note of every change, so that the rules of the store in memory serve a store on the disk. */
export class RecordedState extends MemoryState {
  #changes: Change[] = [];
  #isRecording = true;

  constructor() {
    super();
    for (const name of Object.keys(COLLECTIONS) as CollectionName[]) this.#record(name);
  }

  override append(entry: LogEntry): void {
    super.append(entry);
    this.#note(['scan', entry]);
  }

  /** The changes since the last call. */
  takeChanges(): readonly Change[] {
    const changes = this.#changes;
    this.#changes = [];
    return changes;
  }

  /** Makes changes that the log has already. */
  replay(changes: readonly Change[]): void {
    this.#isRecording = false;
    for (const change of changes) this.#replayOne(change);
    this.#isRecording = true;
  }

  #replayOne(change: Change): void {
    if (change[0] === 'scan') {
      this.append(change[1]);
      return;
    }
    const [kind, name, key, value] = change;
    const map = this[name] as Map<string, unknown>;
    if (kind === 'delete') map.delete(key);
    else if (kind === 'set') map.set(key, value);
    else map.set(key, { ...(map.get(key) as object), ...value });
  }

  #note(change: Change): void {
    if (this.#isRecording) this.#changes.push(change);
  }

  /** Instance methods instead of a subclass of Map: reading stays as fast as it is. */
  #record(name: CollectionName): void {
    const map = this[name] as Map<string, unknown>;
    const set = map.set.bind(map);
    const remove = map.delete.bind(map);
    map.set = (key, value) => {
      const change = setOrEdit(name, key, map.get(key), value);
      if (change) this.#note(change);
      return set(key, value);
    };
    map.delete = (key) => {
      this.#note(['delete', name, key]);
      return remove(key);
    };
    map.clear = () => {
      for (const key of [...map.keys()]) map.delete(key);
    };
  }
}

/** Undefined when nothing is different. */
function setOrEdit(
  name: CollectionName,
  key: string,
  before: unknown,
  value: unknown,
): Change | undefined {
  const [old, fresh] = [membersOf(before), membersOf(value)];
  const sameMembers =
    old && fresh && Object.keys(old).every((member) => fresh[member] !== undefined);
  if (!sameMembers) return ['set', name, key, value];
  const different = Object.entries(fresh).filter(([member, now]) => now !== old[member]);
  return different.length > 0 ? ['edit', name, key, Object.fromEntries(different)] : undefined;
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : undefined;
}
