import jsqr from 'jsqr';

/** A picture as a canvas gives it: four bytes for each pixel. */
export interface Picture {
  readonly data: Uint8ClampedArray<ArrayBuffer>;
  readonly width: number;
  readonly height: number;
}

export interface FoundCode {
  readonly code: string | undefined;
}

/** Looks for a QR code away from the page's own thread: one picture takes tens of milliseconds. */
self.onmessage = ({ data: { data, width, height } }: MessageEvent<Picture>) => {
  // A light code on a dark ground too, as on a phone in dark mode.
  const found = jsqr.default(data, width, height, { inversionAttempts: 'attemptBoth' });
  const answer: FoundCode = { code: found?.data || undefined };
  self.postMessage(answer);
};
