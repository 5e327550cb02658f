/** A name of any script and length, isolated from the text around it. */
export function Name({ children }: { children: string }) {
  return <bdi className="name">{children}</bdi>;
}
