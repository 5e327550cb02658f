import { ADMIN_PREFIX } from '../../service/admin/admin-prefix.ts';

/**
 * The path under which a proxy serves the service: `/svc`, or nothing. The page's scripts lie in `assets` below it, so the
 * address of this one tells.
 */
export const BASE_PATH = new URL(import.meta.url).pathname.split('/').slice(0, -2).join('/');

/** Where the admin API is, seen from the page. */
export const ADMIN_PATH = `${BASE_PATH}${ADMIN_PREFIX}`;
