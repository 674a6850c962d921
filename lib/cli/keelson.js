#!/usr/bin/env node
// The one file that is not TypeScript. In a clone it runs the sources beside it, which are there to be changed; in a package,
// where Node strips no types, the bundle that `npm run build` made of them.
import { existsSync } from 'node:fs'
import * as modules from 'node:module'
import { join } from 'node:path'

const isClone = existsSync(join(import.meta.dirname, 'program.ts'))

if (Number.parseInt(process.versions.node, 10) < 24) {
  console.error(`keelson needs Node 24 or newer, and this is ${process.version}`)
  process.exit(1)
}

// What Node makes of the code is kept: every start but the first takes a third of the time, and 40 MB less. Within our own
// folder, and not in the shared temporary one, so that nobody else can put code there.
const cache = join(import.meta.dirname, '../../node_modules/.cache/keelson')
modules.enableCompileCache(cache)

// Our own imports name their files in full: that nothing has to be searched for them saves a tenth of a short run.
const own = new URL('../', import.meta.url).href
if (isClone)
  modules.registerHooks({
    resolve(specifier, context, next) {
      const isOurs = /^\..*\.ts$/.test(specifier) && context.parentURL?.startsWith(own)
      if (!isOurs) return next(specifier, context)
      return { url: new URL(specifier, context.parentURL).href, format: 'module-typescript', shortCircuit: true }
    },
  })

const load = name => import(isClone ? `./${name}.ts` : `../../dist/command/${name}.js`)

const { applyProcessPolicy, loadCachedScript } = await load('launch')
applyProcessPolicy(process.argv[2])

// A command whose process works for a moment and ends is a script of its own in the package, kept with all its code compiled.
const script = isClone ? undefined : { 'helm template': 'helm-template' }[process.argv.slice(2, 4).join(' ')]
const { loadProgram, runProgram } = script
  ? loadCachedScript(join(import.meta.dirname, `../../dist/command/${script}.cjs`), cache)
  : await load('program')
const program = await loadProgram(process.argv.slice(2))
modules.flushCompileCache()
await runProgram(program)
