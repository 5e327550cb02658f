import qrcode from 'qrcode';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { AdminClient } from '../admin/support/client.ts';
import { PATIENTLY } from '../support/patience.ts';
import type { TestService } from '../support/service.ts';
import type { DrivenPage } from './support/engines.ts';
import { ENGINES, GatePage } from './support/gate-page.ts';

/** Puts a card before the camera: the stream of a drawn picture goes the way of the camera's, to the reader of the page. */
function cardBeforeCamera(code: string): string {
  const { modules } = qrcode.create(code, { errorCorrectionLevel: 'M' });
  const dark = Array.from(modules.data, Number);
  return `(() => {
    const [dark, size, pixels] = [${JSON.stringify(dark)}, ${modules.size}, 8];
    const canvas = Object.assign(document.createElement('canvas'), { width: 640, height: 480 });
    const drawing = canvas.getContext('2d');
    const draw = () => {
      drawing.fillStyle = '#fff';
      drawing.fillRect(0, 0, 640, 480);
      drawing.fillStyle = '#000';
      dark.forEach((isDark, at) => {
        if (isDark) drawing.fillRect(120 + (at % size) * pixels, 60 + Math.floor(at / size) * pixels, pixels, pixels);
      });
    };
    draw();
    setInterval(draw, 50);
    navigator.mediaDevices.getUserMedia = async () => canvas.captureStream(10);
    return true;
  })()`;
}

const PICTURES = `(() => {
  const video = document.querySelector('video');
  return video.videoWidth > 0 && video.currentTime > 0 && !video.hidden;
})()`;

/** The phones at a gate are often iPhones. That somebody signs in and scans is proven with each change, in `engines.proof.test.ts`. */
describe.each(Object.entries(ENGINES))('in %s', (_, openEngine) => {
  let gate: GatePage;
  let service: TestService;
  let page: DrivenPage;
  beforeEach(async () => {
    gate = await GatePage.open(openEngine);
    ({ service, page } = gate);
  });
  afterEach(() => gate[Symbol.asyncDispose]());

  test('a phone is paired, stays so after a reload, and scans', async () => {
    const desk = await AdminClient.signedIn(service, 'operator');
    const { id, token } = (await desk.post('/pairings', {})).json;
    await page.open(`${service.url}/pair#${token}`);
    await page.type('Name of this phone', 'North\n');
    await expect
      .poll(async () => (await desk.post(`/pairings/${id}/confirm`, {})).status, PATIENTLY)
      .toBe(200);
    await gate.shows('.shell', 'Scan');
    await page.reload();
    await gate.shows('.shell', 'Scan');
    await page.type('Ticket code', `${await service.mint()}\n`);
    await gate.shows('.result.good', 'ADMITTED');
  });

  test('the camera gives pictures, and again by itself after a reload', async () => {
    await gate.signIn();
    await page.press('Start camera');
    await gate.shows('.shell', 'Stop camera');
    await expect.poll(() => page.run(PICTURES), PATIENTLY).toBe(true);
    await page.reload();
    await gate.shows('.shell', 'Stop camera');
    await expect.poll(() => page.run(PICTURES), PATIENTLY).toBe(true);
  });

  test('a card before the camera is read and admitted once', async () => {
    const code = await service.mint({ kind: 'multi', uses: 3 });
    await gate.signIn();
    await page.run(cardBeforeCamera(code));
    await page.press('Start camera');
    await gate.shows('.result.good', 'ADMITTED');
    expect((await service.store.findTicket(code.split('.')[1] ?? ''))?.usesConsumed).toBe(1);
  });
});
