/** A whole one. */
const PRINTED_ID = /^tkt_[a-z0-9]{6,10}_[a-z0-9]{20,40}$/;
const CODE = /^TS[12]\.(tkt_[a-z0-9]{6,10}_[a-z0-9]{20,40})\./;

/** The identifier, where the text is nothing else, as it is printed: in groups and in any letter case. */
export function printedId(text: string): string | undefined {
  const id = text.replace(/\s/g, '').toLowerCase();
  return PRINTED_ID.test(id) ? id : undefined;
}

/** The identifier in a ticket code; undefined if the text is not a ticket code, or a reader changed it. */
export function codedId(text: string): string | undefined {
  return CODE.exec(text)?.[1];
}
