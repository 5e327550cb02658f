import type { Picture } from './codes-in-picture.ts';
import type { FoundCode } from './find-code-worker.ts';

/** Finds the QR codes in a picture of the camera. */
export interface CodeFinder {
  readonly find: (video: HTMLVideoElement) => Promise<readonly string[]>;
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

/** Every so many pictures without a code go to the finder of the page too. */
const SECOND_LOOK_EVERY = 3;

/**
 * The browser's own finder where it has one, and the page's in a worker, so that the page stays fluid. The browser's does not see a
 * light code on a dark ground; the page's does.
 */
export async function createCodeFinder(): Promise<CodeFinder> {
  const { BarcodeDetector } = globalThis as { BarcodeDetector?: BarcodeDetectorClass };
  const formats = (await BarcodeDetector?.getSupportedFormats().catch(() => [])) ?? [];
  const own = finderInWorker();
  if (!BarcodeDetector || !formats.includes('qr_code')) return own;
  const detector = new BarcodeDetector({ formats: ['qr_code'] });
  let empty = 0;
  const find = async (video: HTMLVideoElement) => {
    const found = await detector.detect(video);
    if (found.length > 0) return found.map(({ rawValue }) => rawValue);
    empty += 1;
    return empty % SECOND_LOOK_EVERY === 0 ? own.find(video) : [];
  };
  return { find, close: own.close };
}

/** Enough for a ticket held before the camera; more only costs time. */
const PICTURE_WIDTH_MAX = 640;

/** The worker is loaded with the first picture that it looks at. */
function finderInWorker(): CodeFinder {
  let worker: Worker | undefined;
  const canvas = document.createElement('canvas');
  const drawing = canvas.getContext('2d', { willReadFrequently: true });
  const find = (video: HTMLVideoElement) => {
    const scale = Math.min(1, PICTURE_WIDTH_MAX / video.videoWidth);
    const width = Math.round(video.videoWidth * scale);
    const height = Math.round(video.videoHeight * scale);
    if (!drawing || width === 0) return Promise.resolve([]);
    canvas.width = width;
    canvas.height = height;
    drawing.drawImage(video, 0, 0, width, height);
    const { data } = drawing.getImageData(0, 0, width, height);
    worker ??= new Worker(new URL('./find-code-worker.ts', import.meta.url), { type: 'module' });
    return askWorker(worker, { data, width, height });
  };
  return { find, close: () => worker?.terminate() };
}

function askWorker(worker: Worker, picture: Picture): Promise<readonly string[]> {
  return new Promise((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<FoundCode>) => resolve(data.codes);
    worker.onerror = () => reject(new Error('the finder could not be loaded'));
    worker.postMessage(picture, [picture.data.buffer]);
  });
}
