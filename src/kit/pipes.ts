import {
  closeSync,
  constants,
  createReadStream,
  fstatSync,
  openSync,
  readSync,
  statSync,
} from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';

/*
 * A name that a person gives may be that of a pipe. To open one waits for the other side, without an end where nobody comes: so it is opened
 * without waiting, and given up with a reason. Regular files are opened and read as ever.
 */

/** The other side of a pipe may come a moment later: a shell starts both programs at once. */
const OTHER_SIDE_MS = 5000;
const PAUSE_MS = 5;

function pipeFailure(code: 'ERR_PIPE_UNFED' | 'ERR_PIPE_UNREAD' | 'ERR_SOCKET'): Error {
  return Object.assign(new Error('the other side of the pipe is missing'), { code });
}

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code;

/** Opens a file to be read with `readPiece`. @throws Error of the system, and ERR_SOCKET */
export function openToRead(path: string): number {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    throw codeOf(error) === 'ENXIO' ? pipeFailure('ERR_SOCKET') : error;
  }
}

/** Opens a file to be written, a pipe once somebody reads from it. @throws Error of the system, ERR_PIPE_UNREAD and ERR_SOCKET */
export function openToWrite(path: string, flags: string | number, mode?: number): number {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isSocket()) throw pipeFailure('ERR_SOCKET');
  if (!found?.isFIFO()) return openSync(path, flags, mode);
  // Stays open until the pipe is open for good: its reader would otherwise see an end.
  const probe = openedForReader(path);
  try {
    return openSync(path, flags, mode);
  } finally {
    closeSync(probe);
  }
}

function openedForReader(path: string): number {
  const startedAt = performance.now();
  for (;;) {
    try {
      return openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
    } catch (error) {
      if (codeOf(error) !== 'ENXIO') throw error;
      if (performance.now() - startedAt > OTHER_SIDE_MS) throw pipeFailure('ERR_PIPE_UNREAD');
      pause();
    }
  }
}

function pause(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
}

/** Reads what was opened with `openToRead`, piece by piece. */
class PieceReader {
  readonly #file: number;
  readonly #isPipe: boolean;
  #hasBegun = false;
  readonly #openedAt = performance.now();

  constructor(file: number) {
    this.#file = file;
    this.#isPipe = fstatSync(file).isFIFO();
  }

  /** @returns how many bytes came, 0 at the end; undefined where the caller pauses and asks again @throws ERR_PIPE_UNFED */
  read(piece: Buffer): number | undefined {
    try {
      const bytes = readSync(this.#file, piece);
      if (bytes > 0 || this.#hasBegun || !this.#isPipe) {
        this.#hasBegun = true;
        return bytes;
      }
    } catch (error) {
      if (codeOf(error) !== 'EAGAIN') throw error;
      // Somebody has it open and writes later: that may take a person's time.
      this.#hasBegun = true;
      return undefined;
    }
    if (performance.now() - this.#openedAt > OTHER_SIDE_MS) throw pipeFailure('ERR_PIPE_UNFED');
    return undefined;
  }
}

/** The pieces of a file that `openToRead` opened, each in memory of its own. @throws Error of the system, and ERR_PIPE_UNFED */
export function* openedPieces(file: number, bytes: number): Generator<Buffer> {
  const reader = new PieceReader(file);
  for (;;) {
    const piece = Buffer.allocUnsafe(bytes);
    const read = reader.read(piece);
    if (read === 0) return;
    if (read === undefined) pause();
    else yield piece.subarray(0, read);
  }
}

/** The pieces of a file, for long ones: other work goes on meanwhile. @throws as `openToRead` and `openedPieces` */
export async function* piecesOf(path: string, bytes = 64 * 1024): AsyncGenerator<Buffer> {
  const file = openToRead(path);
  try {
    if (fstatSync(file).isFile()) {
      yield* createReadStream(path, { fd: file, autoClose: false, highWaterMark: bytes });
      return;
    }
    const reader = new PieceReader(file);
    for (;;) {
      const piece = Buffer.allocUnsafe(bytes);
      const read = reader.read(piece);
      if (read === 0) return;
      if (read === undefined) await wait(PAUSE_MS);
      else yield piece.subarray(0, read);
    }
  } finally {
    closeSync(file);
  }
}
