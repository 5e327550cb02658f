/** The path prefix of the administration. */
export const ADMIN_PREFIX = '/admin/v1';
