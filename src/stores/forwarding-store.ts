import type { Store } from './store.ts';

export type StoreMethod = Exclude<
  keyof Store,
  'batchesInFlight' | 'scanMsMax' | 'notice' | 'tellOperator'
>;

/**
 * A store that passes every call on: to another thread, or to a queue that runs one call after another.
 * @param own the methods that it has itself
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

/** What no store has that hands its calls on; `await` looks for `then` on every object. */
const NO_METHODS = ['then', 'batchesInFlight', 'scanMsMax', 'notice', 'tellOperator'];

function isMethod(name: string | symbol): name is StoreMethod {
  return typeof name === 'string' && !NO_METHODS.includes(name);
}
