import type { SheetSettings } from '../../../../core/sheet-settings.ts';
import { SheetSettingsJson } from '../../../../features/organisations/sheets.ts';
import type { AdminClient } from '../../../../operations/admin-client.ts';
import type { DataSheets } from '../data-types.ts';

const PATH = '/organisation/sheets';

/** What the organisation of the token prints on its tickets; of a logo only whether there is one. */
export class RemoteSheets implements DataSheets {
  readonly #client: AdminClient;

  constructor(client: AdminClient) {
    this.#client = client;
  }

  async settingsOf(): Promise<SheetSettings> {
    return settingsFrom(await this.#client.get(PATH, SheetSettingsJson));
  }

  async edit(_organisationId: string, changes: Partial<SheetSettings>): Promise<SheetSettings> {
    return settingsFrom(await this.#client.patch(PATH, SheetSettingsJson, changes));
  }
}

function settingsFrom({ logo, ...settings }: SheetSettingsJson): SheetSettings {
  return { ...settings, logo: logo ? '' : null };
}
