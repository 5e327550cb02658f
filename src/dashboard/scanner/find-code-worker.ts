import { sightOf } from './codes-in-picture.ts';
import type { Picture } from './picture.ts';

/** Looks for QR codes away from the page's own thread: one picture takes tens of milliseconds. */
self.onmessage = ({ data }: MessageEvent<Picture>) => {
  self.postMessage(sightOf(data));
};
