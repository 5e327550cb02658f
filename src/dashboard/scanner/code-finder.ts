import type { FoundCode, Picture } from './find-code-worker.ts';

/** Finds the QR code in a picture of the camera. */
export interface CodeFinder {
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
export async function createCodeFinder(): Promise<CodeFinder> {
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
