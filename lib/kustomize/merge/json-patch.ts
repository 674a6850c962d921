import { goJson } from '../../yaml/go-json.ts'
import { isObject, type JsonObject, type JsonValue, setKey } from '../../yaml/json-value.ts'
import { parseNodes } from '../../yaml/parse.ts'
import { toJson } from '../../yaml/to-json.ts'
import { KustomizeError } from '../kustomize-error.ts'

/** RFC 6902 operations, with the leniencies of the Go library that kustomize uses (evanphx/json-patch v4). */
export interface JsonOperation {
  readonly op: string
  readonly path: string
  readonly from: string
  readonly value: JsonValue | undefined
}

export type JsonPatch = readonly JsonOperation[]

export const readJsonPatch = (text: string): JsonPatch => {
  if (text === '') throw new KustomizeError('empty json patch operations')
  const value = isJson(text) ? parseJson(text) : parseYaml(text)
  if (value === null) return []
  if (!Array.isArray(value))
    throw new KustomizeError(`json: cannot unmarshal ${typeof value} into Go value of type jsonpatch.Patch`)
  return value.map(item => {
    const operation = item ?? {}
    if (!isObject(operation))
      throw new KustomizeError(`json: cannot unmarshal ${typeof item} into Go value of type jsonpatch.Operation`)
    const text = (key: string, missing: string): string => {
      const found = operation[key]
      return typeof found === 'string' ? found : missing
    }
    return { op: text('op', 'unknown'), path: text('path', ''), from: text('from', ''), value: operation.value }
  })
}

/** The text of operations as JSON, which YAML is turned into. */
export const jsonOf = (text: string): string => (isJson(text) ? text : goJson(parseYaml(text)))

const isJson = (text: string): boolean => text.startsWith('[')

const parseYaml = (text: string): JsonValue => {
  const root = parseNodes(text)[0]
  return root ? toJson(root, { schema: 'kubernetes', lastKeyWins: true }) : null
}

/** JSON proper, but with integers kept exact. */
const parseJson = (text: string): JsonValue => {
  JSON.parse(text)
  return parseYaml(text)
}

/** Applies the operations to the document, and leaves them as they are for others. */
export const patchJson = (document: JsonObject, patch: JsonPatch): JsonValue => {
  let root: JsonValue = document
  for (const operation of patch) {
    const { op, path } = operation
    switch (op) {
      case 'add':
        root = add(root, path, copyOf(operation.value), op)
        break
      case 'remove':
        remove(root, path, op)
        break
      case 'replace':
        root = replace(root, path, copyOf(operation.value))
        break
      case 'move': {
        const value = take(root, operation.from, op)
        root = add(root, path, value, op)
        break
      }
      case 'copy':
        root = add(root, path, structuredClone(valueAt(root, operation.from, op)), op)
        break
      case 'test':
        test(root, path, operation.value)
        break
      default:
        throw new KustomizeError(`Unexpected kind: ${op}`, { field: path })
    }
  }
  return root
}

/** Later operations may change what one has put in. */
const copyOf = (value: JsonValue | undefined): JsonValue =>
  typeof value === 'object' ? structuredClone(value) : (value ?? null)

interface Place {
  readonly parent: JsonObject | JsonValue[]
  readonly key: string
}

const unescaped = (token: string): string => token.replaceAll('~1', '/').replaceAll('~0', '~')

const place = (root: JsonValue, path: string): Place | undefined => {
  const tokens = path.split('/').map(unescaped)
  if (tokens.length < 2) return undefined
  let node: JsonValue | undefined = root
  for (const token of tokens.slice(1, -1)) {
    node = Array.isArray(node) ? node[indexOf(node, token, path)] : isObject(node) ? ownValue(node, token) : undefined
    if (node === undefined || node === null) return undefined
  }
  if (!Array.isArray(node) && !isObject(node)) return undefined
  return { parent: node, key: tokens.at(-1)! }
}

const ownValue = (object: JsonObject, key: string): JsonValue | undefined =>
  Object.hasOwn(object, key) ? object[key] : undefined

const indexOf = (list: JsonValue[], token: string, path: string): number => {
  if (!/^[-+]?\d+$/.test(token))
    throw new KustomizeError(`strconv.Atoi: parsing ${JSON.stringify(token)}: invalid syntax`, { field: path })
  const index = Number(token)
  return index < 0 && index >= -list.length ? index + list.length : index
}

const missing = (op: string, path: string): KustomizeError =>
  new KustomizeError(`${op} operation does not apply: doc is missing path: "${path}": missing value`, { field: path })

const badIndex = (path: string, index: string): KustomizeError =>
  new KustomizeError(`Unable to access invalid index: ${index}: invalid index referenced`, { field: path })

const add = (root: JsonValue, path: string, value: JsonValue, op: string): JsonValue => {
  if (path === '') return value
  const at = place(root, path)
  if (!at) throw missing(op, path)
  const { parent, key } = at
  if (!Array.isArray(parent)) {
    setKey(parent, key, value)
    return root
  }
  if (key === '-') {
    parent.push(value)
    return root
  }
  const index = indexOf(parent, key, path)
  if (index < 0 || index > parent.length) throw badIndex(path, key)
  parent.splice(index, 0, value)
  return root
}

const remove = (root: JsonValue, path: string, op: string): void => {
  take(root, path, op)
}

const take = (root: JsonValue, path: string, op: string): JsonValue => {
  const at = place(root, path)
  if (!at) throw missing(op, path)
  const { parent, key } = at
  if (Array.isArray(parent)) {
    const index = indexOf(parent, key, path)
    if (index < 0 || index >= parent.length) throw badIndex(path, key)
    return parent.splice(index, 1)[0]!
  }
  const value = ownValue(parent, key)
  if (value === undefined)
    throw new KustomizeError(
      `error in ${op} for path: '${path}': Unable to remove nonexistent key: ${key}: missing value`,
      {
        field: path,
      },
    )
  delete parent[key]
  return value
}

const valueAt = (root: JsonValue, path: string, op: string): JsonValue => {
  if (path === '') return root
  const at = place(root, path)
  if (!at) throw missing(op, path)
  const { parent, key } = at
  const value = Array.isArray(parent) ? parent[indexOf(parent, key, path)] : ownValue(parent, key)
  if (value === undefined) throw missing(op, path)
  return value
}

const replace = (root: JsonValue, path: string, value: JsonValue): JsonValue => {
  if (path === '') return value
  const at = place(root, path)
  if (!at) throw missing('replace', path)
  const { parent, key } = at
  if (Array.isArray(parent)) {
    const index = indexOf(parent, key, path)
    if (index < 0 || index >= parent.length) throw missing('replace', path)
    parent[index] = value
  } else {
    if (!Object.hasOwn(parent, key))
      throw new KustomizeError(`replace operation does not apply: doc is missing key: ${path}: missing value`, {
        field: path,
      })
    setKey(parent, key, value)
  }
  return root
}

const test = (root: JsonValue, path: string, wanted: JsonValue | undefined): void => {
  const at = place(root, path)
  const actual =
    at && (Array.isArray(at.parent) ? at.parent[indexOf(at.parent, at.key, path)] : ownValue(at.parent, at.key))
  if (sameValue(actual ?? null, wanted ?? null)) return
  throw new KustomizeError(`testing value ${path} failed: test failed`, { field: path })
}

const sameValue = (a: JsonValue, b: JsonValue): boolean => {
  if (a === b) return true
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((item, i) => sameValue(item, b[i]!))
  if (!isObject(a) || !isObject(b)) return false
  const keys = Object.keys(a)
  return (
    keys.length === Object.keys(b).length && keys.every(key => Object.hasOwn(b, key) && sameValue(a[key]!, b[key]!))
  )
}
