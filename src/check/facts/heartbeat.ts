/** What controllers of the documented family send; every value differs, so that an echo shows its origin. */
export const HEARTBEAT_BODY = {
  Key: '0A1B2C3D4E5F',
  Serial: 'CHECK-0002',
  ID: '77',
  Status: '11',
  Input: '0000',
  Now: '2026112109153006',
  Ver: '3.41',
  MAC: '00:11:22:33:44:55',
  IP: '192.0.2.7',
};
