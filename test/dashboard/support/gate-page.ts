import { expect } from 'vitest';
import { makeAccount, PASSWORD } from '../../admin/support/client.ts';
import { PATIENTLY } from '../../support/patience.ts';
import { TestService } from '../../support/service.ts';
import { type DrivenPage, openChromium, openFirefox, openWebKit } from './engines.ts';

export const ENGINES = {
  Chromium: openChromium,
  Firefox: openFirefox,
  'WebKit, which Safari is made of,': openWebKit,
};

/** A service and a browser in front of it. */
export class GatePage implements AsyncDisposable {
  readonly service: TestService;
  readonly page: DrivenPage;

  private constructor(service: TestService, page: DrivenPage) {
    this.service = service;
    this.page = page;
  }

  static async open(openEngine: () => Promise<DrivenPage>): Promise<GatePage> {
    const service = await TestService.start({ store: 'memory' });
    try {
      return new GatePage(service, await openEngine());
    } catch (error) {
      await service[Symbol.asyncDispose]();
      throw error;
    }
  }

  shows(selector: string, text: string): Promise<void> {
    return expect.poll(() => this.page.textOf(selector), PATIENTLY).toContain(text);
  }

  async signIn(): Promise<void> {
    const { service, page } = this;
    await makeAccount(service, 'Ada', 'operator');
    await page.open(service.url);
    await page.type('Account', 'Ada');
    await page.type('Password', `${PASSWORD}\n`);
    await this.shows('.shell', 'Overview');
    await page.open(`${service.url}/scanner`);
    await this.shows('.shell', 'Scan');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.page.close();
    await this.service[Symbol.asyncDispose]();
  }
}
