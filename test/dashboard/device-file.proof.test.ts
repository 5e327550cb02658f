import type { Browser } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { loadDeviceFiles } from '../../src/device-files/load.ts';
import { DeviceFiles } from '../../src/scan/devices/device-files.ts';
import { TestService } from '../support/service.ts';
import { noBrowser, openSignedIn, withBrowser } from './support/browser.ts';

describe.skipIf(noBrowser)('device files on the page', () => {
  let browser: Browser;
  withBrowser((started) => {
    browser = started.browser;
  });

  test('the form of a hardware key chooses a device file', async () => {
    const deviceFiles = new DeviceFiles(loadDeviceFiles('fixtures/device-files'));
    await using service = await TestService.start({ store: 'memory', deviceFiles });
    const { page, faults } = await openSignedIn(browser, service);
    await page.goto('/gates');
    await page.getByRole('button', { name: 'Create key' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Hardware').check();
    await dialog.getByLabel('Name').fill('Turnstile');
    await dialog.getByLabel('Device file').selectOption('control-id');
    await dialog.getByRole('button', { name: 'Create' }).click();
    const value = await dialog.getByLabel('Key', { exact: true }).inputValue();
    const url = await dialog.getByLabel('Device URL', { exact: true }).inputValue();
    expect(url).toBe(`${service.url}/devices/${value}`);
    const keys = await service.store.list('key');
    const key = keys.find(({ name }) => name === 'Turnstile');
    expect(key).toMatchObject({ device: 'control-id' });
    expect(faults).toEqual([]);
  });
});
