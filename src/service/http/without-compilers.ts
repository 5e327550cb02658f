/**
 * Options of the framework: its own compilers, which take JSON schemas, are not loaded. Who registers routes with schemas sets
 * the compilers for them.
 */
export const WITHOUT_COMPILERS = {
  schemaController: {
    compilersFactory: { buildValidator: noCompiler, buildSerializer: noCompiler },
  },
} as const;

function noCompiler(): never {
  throw new Error('a route with a schema needs a compiler for it');
}
