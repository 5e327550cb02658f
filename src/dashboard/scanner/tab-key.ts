const NAME = 'ticketscan.scan-key';

/** The prefix of keys for own software; hardware keys are for devices only. */
const API_KEY = /^tscn_api_[0-9A-Za-z]{38}$/;

/** Whether this may be a key for own software; only the server knows whether it holds. */
export function looksLikeApiKey(text: string): boolean {
  return API_KEY.test(text);
}

/** The key that scans in this tab. It survives a reload of the tab, not its end, and no other tab sees it. */
export function tabKey(): string | undefined {
  try {
    return sessionStorage.getItem(NAME) ?? undefined;
  } catch {
    return undefined;
  }
}

/** @param key undefined forgets it */
export function setTabKey(key: string | undefined): void {
  try {
    if (key === undefined) sessionStorage.removeItem(NAME);
    else sessionStorage.setItem(NAME, key);
  } catch {
    // Without storage the key holds until the page is reloaded.
  }
}
