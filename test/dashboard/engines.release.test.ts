import qrcode from 'qrcode';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { AdminClient, makeAccount, PASSWORD } from '../admin/support/client.ts';
import { PATIENTLY } from '../support/patience.ts';
import { TestService } from '../support/service.ts';
import { type DrivenPage, openChromium, openFirefox, openWebKit } from './support/engines.ts';

const ENGINES = {
  Chromium: openChromium,
  Firefox: openFirefox,
  'WebKit, which Safari is made of,': openWebKit,
};

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

/** The phones at a gate are often iPhones, and people sign in at the address that the first command prints. */
describe.each(Object.entries(ENGINES))('in %s', (_, openEngine) => {
  let service: TestService;
  let page: DrivenPage;
  beforeEach(async () => {
    service = await TestService.start({ store: 'memory' });
    page = await openEngine();
  });
  afterEach(async () => {
    await page?.close();
    await service[Symbol.asyncDispose]();
  });

  const shows = (selector: string, text: string) =>
    expect.poll(() => page.textOf(selector), PATIENTLY).toContain(text);

  async function signIn(): Promise<void> {
    await makeAccount(service, 'Ada', 'operator');
    await page.open(service.url);
    await page.type('Account', 'Ada');
    await page.type('Password', `${PASSWORD}\n`);
    await shows('.shell', 'Overview');
    await page.open(`${service.url}/scanner`);
    await shows('.shell', 'Scan');
  }

  test('somebody signs in over plain HTTP on this machine, stays so after a reload, admits one guest and denies the next', async () => {
    const code = await service.mint({ kind: 'single', firstName: 'Grace', lastName: 'Hopper' });
    await signIn();
    await page.reload();
    await shows('.shell', 'Scan');

    await page.type('Ticket code', `${code}\n`);
    await shows('.result.good', 'Grace Hopper');
    await page.type('Ticket code', `${code}\n`);
    await shows('.result.bad', 'DENIED');
    expect((await service.store.findTicket(code.split('.')[1] ?? ''))?.usesConsumed).toBe(1);
  });

  test('a phone is paired, stays so after a reload, and scans', async () => {
    const desk = await AdminClient.signedIn(service, 'operator');
    const { id, token } = (await desk.post('/pairings', {})).json;
    await page.open(`${service.url}/pair#${token}`);
    await page.type('Name of this phone', 'North\n');
    await expect
      .poll(async () => (await desk.post(`/pairings/${id}/confirm`, {})).status, PATIENTLY)
      .toBe(200);
    await shows('.shell', 'Scan');
    await page.reload();
    await shows('.shell', 'Scan');
    await page.type('Ticket code', `${await service.mint()}\n`);
    await shows('.result.good', 'ADMITTED');
  });

  test('the camera gives pictures, and again by itself after a reload', async () => {
    await signIn();
    await page.press('Start camera');
    await shows('.shell', 'Stop camera');
    await expect.poll(() => page.run(PICTURES), PATIENTLY).toBe(true);
    await page.reload();
    await shows('.shell', 'Stop camera');
    await expect.poll(() => page.run(PICTURES), PATIENTLY).toBe(true);
  });

  test('a card before the camera is read and admitted once', async () => {
    const code = await service.mint({ kind: 'multi', uses: 3 });
    await signIn();
    await page.run(cardBeforeCamera(code));
    await page.press('Start camera');
    await shows('.result.good', 'ADMITTED');
    expect((await service.store.findTicket(code.split('.')[1] ?? ''))?.usesConsumed).toBe(1);
  });
});
