/** What `defined` leaves: members that may be undefined are optional. */
type Defined<Members> = {
  [Name in keyof Members as undefined extends Members[Name] ? never : Name]: Members[Name];
} & {
  [Name in keyof Members as undefined extends Members[Name] ? Name : never]?: Exclude<
    Members[Name],
    undefined
  >;
};

/** The members that have a value: what reads them takes a missing member for "not given". */
export function defined<Members extends object>(members: Members): Defined<Members> {
  const given = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as Defined<Members>;
}
