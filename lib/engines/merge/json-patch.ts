/** JSON patch (RFC 6902), with the errors that an API server reports. The input document is not modified. */
import { isObject, type JsonObject } from '../../foundations/kinds/json-object.ts'
import { isSameJson } from '../../foundations/kinds/schema/same-json.ts'

/** The patch is malformed (`malformed`: HTTP 400), too large (413), or does not fit the document (422). */
export class JsonPatchError extends Error {
  readonly code: 'malformed' | 'tooLarge' | 'inapplicable'
  constructor(code: JsonPatchError['code'], message: string) {
    super(message)
    this.name = 'JsonPatchError'
    this.code = code
  }
}

const maxOperations = 10_000
/** Total size of `copy` operations, in bytes of JSON: a few can double a document many times. */
const maxCopiedCharacters = 3 * 1024 * 1024

/**
 * The document after the operations of RFC 6902, as an API server applies them (evanphx/json-patch); the given one is
 * not changed. Throws JsonPatchError: `malformed` or `tooLarge`, or `inapplicable` for the first operation that fails.
 */
export const jsonPatch = (document: unknown, operations: unknown): unknown => {
  if (!Array.isArray(operations) || !operations.every(isObject))
    throw new JsonPatchError('malformed', 'error decoding patch: a JSON patch is a list of operations')
  if (!operations.every(hasTexts))
    throw new JsonPatchError('malformed', 'error decoding patch: op, path and from of an operation are strings')
  if (operations.length > maxOperations)
    throw new JsonPatchError(
      'tooLarge',
      `The allowed maximum operations in a JSON patch is ${maxOperations}, got ${operations.length}`,
    )
  const budget = { copied: 0 }
  return operations.reduce<unknown>((patched, operation) => perform(patched, operation, budget), document)
}

type Operation = Readonly<Record<string, unknown>>

const hasTexts = (operation: Operation): boolean =>
  ['op', 'path', 'from'].every(member => ['undefined', 'string'].includes(typeof operation[member]))

const perform = (document: unknown, operation: Operation, budget: { copied: number }): unknown => {
  const { op } = operation
  switch (op) {
    case 'add':
      return add(document, pathOf(operation, 'path'), operation.value, 'add')
    case 'remove':
      return remove(document, pathOf(operation, 'path'), 'remove')
    case 'replace':
      return replace(document, pathOf(operation, 'path'), operation.value)
    case 'move': {
      const from = pathOf(operation, 'from')
      const value = read(document, from, 'move', 'doc is missing from path')
      return add(remove(document, from, 'move'), pathOf(operation, 'path'), value, 'move')
    }
    case 'copy': {
      const value = read(document, pathOf(operation, 'from'), 'copy', 'doc is missing from path')
      budget.copied += JSON.stringify(value).length
      if (budget.copied > maxCopiedCharacters)
        throw inapplicable(
          `Unable to complete the copy, the accumulated size increase of copy is ${budget.copied}, exceeding the limit ${maxCopiedCharacters}`,
        )
      return add(document, pathOf(operation, 'path'), value, 'copy')
    }
    case 'test': {
      const path = pathOf(operation, 'path')
      if (!isSameJson(tested(document, path) ?? null, operation.value ?? null))
        throw inapplicable(`testing value ${path} failed: test failed`)
      return document
    }
    default:
      throw inapplicable(`Unexpected kind: ${op ?? 'unknown'}`)
  }
}

const inapplicable = (message: string) => new JsonPatchError('inapplicable', message)

const pathOf = (operation: Operation, member: 'path' | 'from'): string => {
  const path = operation[member]
  if (typeof path === 'string') return path
  throw inapplicable(`${operation.op} operation failed to decode ${member}: missing value`)
}

const add = (document: unknown, path: string, value: unknown, verb: string): unknown =>
  at(
    document,
    path,
    missing(verb, path, verb === 'add' ? 'doc is missing path' : 'doc is missing destination path'),
    (parent, key) => {
      if (!Array.isArray(parent)) return withField(parent, key, value ?? null)
      const index =
        key === '-' ? parent.length : indexOf(key, parent.length + 1, `error in ${verb} for path: '${path}'`)
      return parent.toSpliced(index, 0, value ?? null)
    },
  )

const remove = (document: unknown, path: string, verb: string): unknown =>
  at(document, path, missing(verb, path, 'doc is missing path'), (parent, key) => {
    if (Array.isArray(parent))
      return parent.toSpliced(indexOf(key, parent.length, `error in ${verb} for path: '${path}'`), 1)
    if (!Object.hasOwn(parent, key))
      throw inapplicable(
        `error in ${verb} for path: '${path}': Unable to remove nonexistent key: ${key}: missing value`,
      )
    return Object.fromEntries(Object.entries(parent).filter(([name]) => name !== key))
  })

const replace = (document: unknown, path: string, value: unknown): unknown => {
  if (path === '') {
    if (isObject(value)) return value
    throw inapplicable('replace operation value must be object')
  }
  const nowhere = `replace operation does not apply: doc is missing path: ${path}: missing value`
  return at(document, path, nowhere, (parent, key) => {
    if (!Array.isArray(parent)) return withField(parent, key, value ?? null)
    const position = positionIn(parent, key)
    if (position === undefined)
      throw inapplicable(`replace operation does not apply: doc is missing key: ${path}: missing value`)
    return parent.with(position, value ?? null)
  })
}

const read = (document: unknown, path: string, verb: string, problem: string): unknown => {
  let value: unknown
  at(document, path, missing(verb, path, problem), (parent, key) => {
    value = Array.isArray(parent)
      ? parent[indexOf(key, parent.length, `error in ${verb} for path: '${key}'`)]
      : fieldOf(parent as JsonObject, key)
    return parent
  })
  return value
}

const fieldOf = (parent: JsonObject, key: string): unknown => (Object.hasOwn(parent, key) ? parent[key] : null)

const tested = (document: unknown, path: string): unknown =>
  path === '' ? document : read(document, path, 'test', 'is missing path')

const missing = (verb: string, path: string, problem: string): string => {
  const shown = verb === 'add' || verb === 'remove' ? JSON.stringify(path) : path
  return `${verb} operation does not apply: ${problem}: ${shown}: missing value`
}

type Parent = readonly unknown[] | JsonObject

/** Returns the document with the container of the path's last segment replaced by `change`'s result. */
const at = (
  document: unknown,
  path: string,
  nowhere: string,
  change: (parent: Parent, key: string) => Parent,
): unknown => {
  const [, ...segments] = path.split('/')
  if (segments.length === 0) throw inapplicable(nowhere)
  const keys = segments.map(segment => segment.replaceAll('~1', '/').replaceAll('~0', '~'))
  const descend = (value: unknown, depth: number): unknown => {
    if (!isObject(value) && !Array.isArray(value)) throw inapplicable(nowhere)
    const key = keys[depth]!
    if (depth === keys.length - 1) return change(value, key)
    if (Array.isArray(value)) {
      const position = positionIn(value, key)
      if (position === undefined) throw inapplicable(nowhere)
      return value.with(position, descend(value[position], depth + 1))
    }
    if (!Object.hasOwn(value, key)) throw inapplicable(nowhere)
    return withField(value, key, descend(value[key], depth + 1))
  }
  return descend(document, 0)
}

const indexPattern = /^[-+]?\d+$/

/** The position that a list index refers to; negative ones count from the end. Undefined if it is not a number or out of range. */
const positionIn = ({ length }: { readonly length: number }, key: string): number | undefined => {
  const index = Number(key)
  const position = index < 0 ? index + length : index
  return indexPattern.test(key) && position >= 0 && position < length ? position : undefined
}

const indexOf = (key: string, length: number, problem: string): number => {
  if (!indexPattern.test(key)) throw inapplicable(`${problem}: value was not a proper array index: '${key}'`)
  const position = positionIn({ length }, key)
  if (position !== undefined) return position
  throw inapplicable(`${problem}: Unable to access invalid index: ${Number(key)}: invalid index referenced`)
}

/** A spread keeps own fields named `__proto__` as fields. */
const withField = (parent: Parent, key: string, value: unknown): Parent =>
  Object.fromEntries([...Object.entries(parent), [key, value]])
