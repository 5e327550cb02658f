import { PNG } from 'pngjs';

/** A small PNG in Base64. */
export const LOGO = PNG.sync.write(new PNG({ width: 4, height: 2 })).toString('base64');
