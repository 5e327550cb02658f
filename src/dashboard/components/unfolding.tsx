/** A long text on one line; who presses it or steps to it reads all of it. */
export function Unfolding({ children }: { children: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard and a touch unfold it as the mouse does
    <span className="unfolding" tabIndex={0} title={children}>
      {children}
    </span>
  );
}
