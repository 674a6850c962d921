import { accessSync, constants, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire, isBuiltin } from 'node:module'
import { dirname, join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { Script, constants as vmConstants } from 'node:vm'

/** What the build puts in the first line of a script: its digest, as V8 compares only the length of a script with its compiled code. */
const DIGEST = /^\/\/([0-9a-f]+)\n/

/**
 * Runs a CommonJS script with the compiled code that an earlier process left in a folder, and returns its exports. Node's own compile cache keeps
 * only what V8 compiles ahead; here all functions are compiled, once, and no later process compiles any. V8 refuses the code of other versions and flags.
 */
export const loadCachedScript = (path: string, folder: string): unknown => {
  const source = readFileSync(path, 'latin1') // The build writes ASCII.
  const file = join(folder, `${DIGEST.exec(source)?.[1]}.code`)
  const cachedData = readIfPresent(file)
  const isAhead = !cachedData && isWritable(folder)
  const script = isAhead ? compileAhead(source, path, file) : compile(source, path, cachedData)
  if (script.cachedDataRejected) rmSync(file, { force: true }) // The next process compiles ahead.
  const module = { exports: {} }
  script.runInThisContext()(module.exports, requireLater(createRequire(path)), module, path, dirname(path))
  return module.exports
}

/** Modules of Node are loaded when something of theirs is used: a run needs few of them. */
const requireLater =
  (require: NodeJS.Require) =>
  (name: string): unknown =>
    isBuiltin(name) ? later(() => require(name)) : require(name)

/** What esbuild makes of `import name from` and `import * as name` inherits from the prototype. */
const later = (load: () => object): object => {
  const module: object = new Proxy(
    {},
    { get: (_, property) => Reflect.get(load(), property), getPrototypeOf: () => module },
  )
  return module
}

const compile = (source: string, filename: string, cachedData?: Buffer): Script =>
  new Script(`(function(exports,require,module,__filename,__dirname){${source}\n})`, {
    filename,
    ...(cachedData && { cachedData }),
    importModuleDynamically: vmConstants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  })

/** Compiles all functions and keeps them. The flag is part of what V8 compares: it is back to its default when the code is taken. */
const compileAhead = (source: string, filename: string, file: string): Script => {
  setFlagsFromString('--no-lazy')
  const script = compile(source, filename)
  setFlagsFromString('--lazy')
  keepCode(script.createCachedData(), file)
  return script
}

/** Makes the folder. To compile ahead takes longer than a run saves: it is for processes to come. */
const isWritable = (folder: string): boolean => {
  try {
    mkdirSync(folder, { recursive: true })
    accessSync(folder, constants.W_OK)
    return true
  } catch {
    return false
  }
}

/** Whole or not at all, as other processes may read it. */
const keepCode = (code: Buffer, file: string): void => {
  const written = `${file}.${process.pid}`
  try {
    writeFileSync(written, code)
    renameSync(written, file)
  } catch {
    rmSync(written, { force: true }) // The disk is full: the next process compiles again.
  }
}

const readIfPresent = (file: string): Buffer | undefined => {
  try {
    return readFileSync(file)
  } catch {
    return undefined
  }
}
