/** An address, and the key in it if there was one. */
export interface DeviceUrl {
  readonly baseUrl: string;
  readonly key: string | undefined;
}

/**
 * Takes the Card URL or Heart URL of a device apart, as it was shown with the key, so that it can be pasted as it is.
 * Any other address stays what it is, without a query: a key in it must not be shown.
 */
export function splitDeviceUrl(text: string): DeviceUrl {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) {
    return { baseUrl: text, key: undefined };
  }
  const url = new URL(text);
  const path = url.pathname.replace(/\/scan\/hw\/(consume|validate|heartbeat)\/?$/, '');
  const baseUrl = `${url.origin}${path}`.replace(/\/$/, '');
  return { baseUrl, key: url.searchParams.get('key') ?? undefined };
}
