import { type Arrival, FileModel, type FileRead } from '../../../device-files/file-model.ts';
import type { DeviceFile } from '../../../device-files/schema.ts';
import type { Message } from '../../../device-files/source.ts';

/** A file and what it reads in a request. */
export interface ReadByFile {
  readonly model: FileModel;
  readonly read: FileRead;
}

/** The device files of a server. */
export class DeviceFiles {
  readonly #models: ReadonlyMap<string, FileModel>;

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

  /** The first file that reads a request, whoever sends it: a refused key tells nothing of its file. */
  recognise(message: Message, arrival: Arrival): ReadByFile | undefined {
    for (const model of this.#models.values()) {
      const read = model.read(message, arrival);
      if (read) return { model, read };
    }
    return undefined;
  }

  /** The first file that has this path. */
  ofPath(path: string): FileModel | undefined {
    return [...this.#models.values()].find((model) => model.methodsAt(path).length > 0);
  }
}
