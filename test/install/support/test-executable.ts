/** The single executable that the tests of the image pack. */
export function testExecutable(): string {
  return process.env['TICKETSCAN_TEST_EXECUTABLE'] ?? '';
}
