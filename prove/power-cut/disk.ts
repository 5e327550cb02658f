import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Random } from '../world/random.ts';
import { DiskFile, SURVIVALS, type Survival } from './disk-file.ts';
import type { Step } from './syscalls.ts';

type Names = ReadonlyMap<string, DiskFile>;

/**
 * A folder as the programs see it, and as it may be found after a power cut. Names are as volatile as data: a new, renamed
 * or removed file is so on the disk when the folder was synced; before, the changes of names come in their order.
 */
export class Disk {
  #names = new Map<string, DiskFile>();
  #durableNames: Names;
  #nameChanges: Names[] = [];
  readonly #folderSyncs = new Map<number, number>();

  /** @param folder what is certainly on the disk at the start */
  constructor(folder: string) {
    for (const name of readdirSync(folder)) {
      if (!name.endsWith('-shm'))
        this.#names.set(name, new DiskFile(readFileSync(join(folder, name))));
    }
    this.#durableNames = new Map(this.#names);
  }

  apply(step: Step): void {
    if (step.kind === 'told') return;
    if (step.path === '' && (step.kind === 'sync-begin' || step.kind === 'sync-end')) {
      this.#syncFolder(step);
      return;
    }
    switch (step.kind) {
      case 'create':
        if (!this.#names.has(step.path))
          this.#rename((names) => names.set(step.path, new DiskFile()));
        else if (step.truncates) this.#file(step.path).truncate(0);
        break;
      case 'write':
        this.#file(step.path).write(step.offset, step.data);
        break;
      case 'truncate':
        this.#file(step.path).truncate(step.size);
        break;
      case 'sync-begin':
        this.#file(step.path).syncBegins(step.sync);
        break;
      case 'sync-end':
        this.#file(step.path).syncEnds(step.sync, step.succeeded);
        break;
      default:
        this.#changeNames(step);
    }
  }

  /** The files of the folder as the next program sees them when the last one was killed at this moment. */
  afterKill(): Map<string, Buffer> {
    return new Map([...this.#names].map(([name, file]) => [name, file.seen()]));
  }

  /** The files of the folder as they may be found after a power cut at this moment. */
  afterCut(random: Random): Map<string, Buffer> {
    const kept = random.between(0, this.#nameChanges.length);
    const names = kept === 0 ? this.#durableNames : (this.#nameChanges[kept - 1] ?? this.#names);
    const survival: Survival = random.pick(SURVIVALS);
    return new Map([...names].map(([name, file]) => [name, file.afterCut(survival, random)]));
  }

  #changeNames(step: Extract<Step, { kind: 'rename' | 'link' | 'unlink' }>): void {
    const file = this.#names.get(step.path);
    if (!file) return;
    this.#rename((names) => {
      if (step.kind !== 'link') names.delete(step.path);
      if (step.kind !== 'unlink') names.set(step.to, file);
    });
  }

  #rename(change: (names: Map<string, DiskFile>) => void): void {
    this.#names = new Map(this.#names);
    change(this.#names);
    this.#nameChanges.push(this.#names);
  }

  #syncFolder(step: Extract<Step, { kind: 'sync-begin' | 'sync-end' }>): void {
    if (step.kind === 'sync-begin') this.#folderSyncs.set(step.sync, this.#nameChanges.length);
    else if (step.succeeded) {
      const covered = this.#folderSyncs.get(step.sync) ?? 0;
      this.#durableNames = this.#nameChanges[covered - 1] ?? this.#durableNames;
      this.#nameChanges = this.#nameChanges.slice(covered);
    }
  }

  /** A file that was removed while a program had it open may still be written: that reaches nobody. */
  #file(path: string): DiskFile {
    return this.#names.get(path) ?? new DiskFile();
  }
}
