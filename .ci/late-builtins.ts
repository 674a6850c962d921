import type { Plugin } from 'esbuild'

/**
 * Modules of Node whose import loads more than is used. An import makes an export of each property, and so runs the getters behind which Node keeps what
 * few processes need: threads behind `util`, reports behind `process`. With `require`, a property is read when it is used.
 */
const replacements: Readonly<Record<string, string>> = {
  'node:process': 'module.exports = process',
  'node:util': "module.exports = require('node:util')",
}

/** An esbuild plugin that has the rest of these modules loaded late. */
export const lateBuiltins: Plugin = {
  name: 'late-builtins',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^node:(process|util)$/ }, ({ path, kind }) =>
      kind === 'require-call' ? undefined : { path, namespace: 'late-builtins' },
    )
    onLoad({ filter: /.*/, namespace: 'late-builtins' }, ({ path }) => ({ contents: replacements[path]! }))
  },
}
