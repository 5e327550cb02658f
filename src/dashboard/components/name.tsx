/** A name that somebody typed: text of any script and length, kept from disturbing what stands around it. */
export function Name({ children }: { children: string }) {
  return <bdi className="name">{children}</bdi>;
}
