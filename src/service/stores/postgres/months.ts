/** The month after one such as 202612. */
export function nextMonth(month: number): number {
  return month % 100 === 12 ? month + 89 : month + 1;
}
