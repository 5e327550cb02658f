import { codesIn, type Picture } from './codes-in-picture.ts';

export interface FoundCode {
  readonly codes: readonly string[];
}

/** Looks for QR codes away from the page's own thread: one picture takes tens of milliseconds. */
self.onmessage = ({ data }: MessageEvent<Picture>) => {
  const answer: FoundCode = { codes: codesIn(data) };
  self.postMessage(answer);
};
