import type { Sight } from './codes-in-picture.ts';
import type { Picture } from './picture.ts';

/** Finds the QR codes in a picture of the camera. */
export interface CodeFinder {
  readonly find: (video: HTMLVideoElement) => Promise<Sight>;
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
  let isUnread = false;
  const find = async (video: HTMLVideoElement): Promise<Sight> => {
    const found = await detector.detect(video);
    const codes = [...new Set(found.map(({ rawValue }) => rawValue))];
    if (codes.length > 0) return { codes, isUnread: false };
    empty += 1;
    if (empty % SECOND_LOOK_EVERY !== 0) return { codes, isUnread };
    const sight = await own.find(video);
    isUnread = sight.isUnread;
    return sight;
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
  const find = (video: HTMLVideoElement): Promise<Sight> => {
    const scale = Math.min(1, PICTURE_WIDTH_MAX / video.videoWidth);
    const width = Math.round(video.videoWidth * scale);
    const height = Math.round(video.videoHeight * scale);
    if (!drawing || width === 0) return Promise.resolve({ codes: [], isUnread: false });
    canvas.width = width;
    canvas.height = height;
    drawing.drawImage(video, 0, 0, width, height);
    const { data } = drawing.getImageData(0, 0, width, height);
    worker ??= new Worker(new URL('./find-code-worker.ts', import.meta.url), { type: 'module' });
    return askWorker(worker, { data, width, height });
  };
  return { find, close: () => worker?.terminate() };
}

function askWorker(worker: Worker, picture: Picture): Promise<Sight> {
  return new Promise((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<Sight>) => resolve(data);
    worker.onerror = () => reject(new Error('the finder could not be loaded'));
    worker.postMessage(picture, [picture.data.buffer]);
  });
}
