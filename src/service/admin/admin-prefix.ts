/** Under which a server's administration is found. */
export const ADMIN_PREFIX = '/admin/v1';
