import { posix } from 'node:path'
import { type FunctionMap, TemplateFunction, type Value } from '../values/value.ts'

/** Go's package path, which does not access the file system. */

const clean = (path: string): string => {
  const normal = posix.normalize(path)
  return normal.length > 1 && normal.endsWith('/') ? normal.slice(0, -1) : normal
}

const base = (path: string): string => {
  if (path === '') return '.'
  const trimmed = path.replace(/\/+$/, '')
  return trimmed === '' ? '/' : trimmed.slice(trimmed.lastIndexOf('/') + 1)
}

const dir = (path: string): string => clean(path.slice(0, path.lastIndexOf('/') + 1))

/** From the last dot of the last element, even if it is the first character. */
const ext = (path: string): string => /\.[^./]*$/.exec(path)?.[0] ?? ''

const isAbs = (path: string): boolean => path.startsWith('/')

const one = (call: (path: string) => Value) => new TemplateFunction(['string'], call)

export const pathFunctions: FunctionMap = new Map([
  ['base', one(base)],
  ['dir', one(dir)],
  ['clean', one(clean)],
  ['ext', one(ext)],
  ['isAbs', one(isAbs)],
  ['osBase', one(base)],
  ['osDir', one(dir)],
  ['osClean', one(clean)],
  ['osExt', one(ext)],
  ['osIsAbs', one(isAbs)],
])
