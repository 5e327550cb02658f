import { useEffect, useRef } from 'react';
import type { FoundCode, Picture } from './find-code-worker.ts';

export interface WatchedCamera {
  /** Switches the lamp; undefined where the camera has none. */
  readonly setLight: ((on: boolean) => Promise<void>) | undefined;
  readonly stop: () => void;
}

/** The time between two pictures; ten a second are enough and spare a phone's battery. */
const PICTURE_EVERY_MS = 100;

/**
 * Shows the camera in `video` and calls back for every picture that has a code.
 * @throws DOMException as `getUserMedia` does: no camera, or not allowed
 */
export async function watchCamera(
  video: HTMLVideoElement,
  onCode: (code: string) => void,
): Promise<WatchedCamera> {
  const stream = await navigator.mediaDevices.getUserMedia({
    audio: false,
    video: { facingMode: 'environment', width: { ideal: 1280 } },
  });
  const finder = await createCodeFinder();
  video.srcObject = stream;
  await video.play();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let stopped = false;
  const look = async () => {
    const code = await finder.find(video).catch(() => undefined);
    if (stopped) return;
    if (code !== undefined) onCode(code);
    timer = setTimeout(() => void look(), PICTURE_EVERY_MS);
  };
  void look();
  const stop = () => {
    stopped = true;
    clearTimeout(timer);
    finder.close();
    for (const track of stream.getTracks()) track.stop();
    video.srcObject = null;
  };
  return { setLight: lightOf(stream), stop };
}

function lightOf(stream: MediaStream): WatchedCamera['setLight'] {
  const [track] = stream.getVideoTracks();
  const { torch } = (track?.getCapabilities?.() ?? {}) as { torch?: boolean };
  if (!track || !torch) return undefined;
  return (on) => track.applyConstraints({ advanced: [{ torch: on } as MediaTrackConstraintSet] });
}

const SAME_CODE_MS = 3000;

/**
 * A camera sees the same ticket in every picture: only the first counts, until the code was out of view for three
 * seconds.
 */
export class RepeatGuard {
  #code = '';
  #seenAt = Number.NEGATIVE_INFINITY;

  /** Whether this sight of a code is a new scan. @param at milliseconds of a monotonic clock */
  isNew(code: string, at: number): boolean {
    const repeated = code === this.#code && at - this.#seenAt < SAME_CODE_MS;
    this.#code = code;
    this.#seenAt = at;
    return !repeated;
  }
}

/** Finds the QR code in a picture of the camera. */
interface CodeFinder {
  readonly find: (video: HTMLVideoElement) => Promise<string | undefined>;
  readonly close: () => void;
}

/** What Chromium on phones and macOS brings along; TypeScript does not know it yet. */
interface BarcodeDetectorClass {
  new (options: {
    formats: string[];
  }): {
    detect(picture: HTMLVideoElement): Promise<{ rawValue: string }[]>;
  };
  getSupportedFormats(): Promise<string[]>;
}

/** The browser's own finder where it has one, else one in a worker, so that the page stays fluid. */
async function createCodeFinder(): Promise<CodeFinder> {
  const { BarcodeDetector } = globalThis as { BarcodeDetector?: BarcodeDetectorClass };
  const formats = (await BarcodeDetector?.getSupportedFormats().catch(() => [])) ?? [];
  if (!BarcodeDetector || !formats.includes('qr_code')) return finderInWorker();
  const detector = new BarcodeDetector({ formats: ['qr_code'] });
  return {
    find: async (video) => (await detector.detect(video))[0]?.rawValue,
    close: () => {},
  };
}

/** Enough for a ticket held before the camera; more only costs time. */
const PICTURE_WIDTH_MAX = 640;

function finderInWorker(): CodeFinder {
  const worker = new Worker(new URL('./find-code-worker.ts', import.meta.url), { type: 'module' });
  const canvas = document.createElement('canvas');
  const drawing = canvas.getContext('2d', { willReadFrequently: true });
  const find = (video: HTMLVideoElement) => {
    const scale = Math.min(1, PICTURE_WIDTH_MAX / video.videoWidth);
    const width = Math.round(video.videoWidth * scale);
    const height = Math.round(video.videoHeight * scale);
    if (!drawing || width === 0) return Promise.resolve(undefined);
    canvas.width = width;
    canvas.height = height;
    drawing.drawImage(video, 0, 0, width, height);
    const { data } = drawing.getImageData(0, 0, width, height);
    return askWorker(worker, { data, width, height });
  };
  return { find, close: () => worker.terminate() };
}

function askWorker(worker: Worker, picture: Picture): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<FoundCode>) => resolve(data.code);
    worker.onerror = () => reject(new Error('the finder could not be loaded'));
    worker.postMessage(picture, [picture.data.buffer]);
  });
}

/** A hand scanner types faster than any person. */
const BETWEEN_KEYS_MS_MAX = 100;
const CHARACTERS_MIN = 4;

/**
 * Recognises what a hand scanner types: characters in quick succession, then Enter. Slow typing is a person's and is
 * left alone.
 */
export class KeyboardWedge {
  #typed = '';
  #lastAt = Number.NEGATIVE_INFINITY;

  /**
   * @param key as in `KeyboardEvent.key`
   * @param at when, in milliseconds of a monotonic clock
   * @returns the code when this key ended one
   */
  press(key: string, at: number): string | undefined {
    const quick = at - this.#lastAt <= BETWEEN_KEYS_MS_MAX;
    const typed = quick ? this.#typed : '';
    if (key === 'Enter' || key === 'Tab') {
      this.#typed = '';
      return typed.length >= CHARACTERS_MIN ? typed : undefined;
    }
    // Shift and the like are no characters, and do not break the flow.
    if ([...key].length !== 1) return undefined;
    this.#typed = typed + key;
    this.#lastAt = at;
    return undefined;
  }
}

/** Calls back with every code that a hand scanner types while no field has the focus. */
export function useKeyboardWedge(onCode: (code: string) => void): void {
  const latest = useRef(onCode);
  latest.current = onCode;
  useEffect(() => {
    const wedge = new KeyboardWedge();
    const onKey = (event: KeyboardEvent) => {
      if (isField(event.target) || event.ctrlKey || event.altKey || event.metaKey) return;
      const code = wedge.press(event.key, event.timeStamp);
      if (code === undefined) return;
      // Or the Enter would press the button that has the focus.
      event.preventDefault();
      latest.current(code);
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
}

/** Where characters are typed into; a box to tick or a choice takes none. */
const FIELDS = 'input:not([type="radio"], [type="checkbox"]), textarea, select';

function isField(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches(FIELDS);
}
