/** How a report is written for people. */
export interface ReportStyle {
  /** ANSI colours, for a terminal. */
  readonly color?: boolean;
}
