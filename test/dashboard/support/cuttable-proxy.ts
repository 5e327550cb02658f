import net, { type AddressInfo } from 'node:net';

/** A way to a server that can be cut, as a loose cable does. */
export class CuttableProxy implements AsyncDisposable {
  readonly #server: net.Server;
  readonly #sockets = new Set<net.Socket>();
  #cut = false;

  private constructor(target: URL) {
    this.#server = net.createServer((near) => {
      if (this.#cut) {
        near.destroy();
        return;
      }
      const far = net.connect(Number(target.port), target.hostname);
      for (const [from, to] of [
        [near, far],
        [far, near],
      ] as const) {
        this.#sockets.add(from);
        from.pipe(to);
        from.on('error', () => to.destroy());
        from.on('close', () => this.#sockets.delete(from));
      }
    });
  }

  static async start(target: string): Promise<CuttableProxy> {
    const proxy = new CuttableProxy(new URL(target));
    await new Promise<void>((done) => proxy.#server.listen(0, '127.0.0.1', done));
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Breaks every connection and lets no new one through, until `mend`. */
  cut(): void {
    this.#cut = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  mend(): void {
    this.#cut = false;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.cut();
    await new Promise((done) => this.#server.close(done));
  }
}
