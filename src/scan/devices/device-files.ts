import { type Arrival, FileModel, type FileRead } from '../../device-files/file-model.ts';
import { safeDeniers } from '../../device-files/opening.ts';
import type { DeviceFile } from '../../device-files/schema.ts';
import type { Message } from '../../device-files/source.ts';

/** A file, and the request as the file reads it; undefined for a request that the file only denies. */
export interface ReadByFile<Read extends FileRead | undefined = FileRead> {
  readonly model: FileModel;
  readonly read: Read;
}

/** The device files of a server. */
export class DeviceFiles {
  readonly #models: ReadonlyMap<string, FileModel>;
  /** The files that are safe to ask together, by the names of the files that were compared. */
  readonly #safe = new Map<string, readonly FileModel[]>();

  constructor(files: readonly DeviceFile[]) {
    this.#models = new Map(files.map((file) => [file.name, new FileModel(file)]));
  }

  get names(): string[] {
    return [...this.#models.keys()];
  }

  named(name: string): FileModel | undefined {
    return this.#models.get(name);
  }

  /** The methods that any file has for a path. */
  methodsAt(path: string): Set<string> {
    return new Set([...this.#models.values()].flatMap((model) => model.methodsAt(path)));
  }

  /** The first file that has this path. */
  ofPath(path: string): FileModel | undefined {
    return [...this.#models.values()].find((model) => model.methodsAt(path).length > 0);
  }

  /**
   * The file that denies a request of a refused key at this endpoint, of those whose denial no device of the other files can
   * take for a grant: the first that reads the request, else the first. Undefined when there is none.
   * @param also the file of a device that may send this request although the file does not describe it
   */
  denierAt(
    message: Message,
    arrival: Arrival,
    also?: FileModel,
  ): ReadByFile<FileRead | undefined> | undefined {
    const asked = [...this.#models.values()].filter((model) => model.isAskedAt(arrival));
    const safe = this.#safeAmong(also && !asked.includes(also) ? [...asked, also] : asked);
    for (const model of safe) {
      const read = model.read(message, arrival);
      if (read) return { model, read };
    }
    const [model] = safe;
    return model && { model, read: undefined };
  }

  #safeAmong(models: readonly FileModel[]): readonly FileModel[] {
    if (models.length < 2) return models;
    const names = models.map(({ id }) => id).join(' ');
    const known = this.#safe.get(names);
    if (known) return known;
    const files = safeDeniers(models.map(({ file }) => file));
    const safe = models.filter(({ file }) => files.includes(file));
    this.#safe.set(names, safe);
    return safe;
  }
}
