import type { Store } from './store.ts';

export type StoreMethod = Exclude<keyof Store, 'batchesInFlight' | 'scanMsMax'>;

/**
 * A store that hands every call on, to another thread or in turn.
 * @param own what it does by itself
 */
export function forwardingStore(
  own: Partial<Store>,
  forward: (method: StoreMethod, args: readonly unknown[]) => Promise<unknown>,
): Store {
  return new Proxy(own as Store, {
    get: (target, name) =>
      name in target || !isMethod(name)
        ? Reflect.get(target, name)
        : (...args: readonly unknown[]) => forward(name, args),
  });
}

/** `await` looks for `then` on every object. */
function isMethod(name: string | symbol): name is StoreMethod {
  return typeof name === 'string' && !['then', 'batchesInFlight', 'scanMsMax'].includes(name);
}
