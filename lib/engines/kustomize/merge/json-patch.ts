import type { Budget } from '../../../foundations/budget/budget.ts'
import { quote } from '../../../foundations/go/quote.ts'
import { goJson } from '../../yaml/go-json.ts'
import { isObject, type JsonObject, type JsonValue, setKey } from '../../yaml/json-value.ts'
import { parseNodes } from '../../yaml/parse.ts'
import { toJson } from '../../yaml/to-json.ts'
import { spendOnJson } from '../../yaml/tree-size.ts'
import { KustomizeError, located, wrapping } from '../kustomize-error.ts'

/**
 * RFC 6902 operations, with the leniency and messages of the Go library that kustomize uses (evanphx/json-patch v4). They are kept as read:
 * an invalid one fails only when it is applied.
 */
export type JsonPatch = readonly JsonObject[]

/**
 * Reads a list of operations in JSON or YAML. Throws KustomizeError for anything but a list of objects, and YamlError
 * for what doesn't parse; what the operations say is checked when they are applied.
 */
export const readJsonPatch = (text: string, budget: Budget): JsonPatch => {
  const value = (isJson(text) ? (JSON.parse(text) as JsonValue) : parseYaml(text, budget)) ?? []
  spendOnJson(budget, value)
  if (!Array.isArray(value)) throw mismatch(value, 'jsonpatch.Patch')
  return value.map(item => {
    const operation = item ?? {}
    if (!isObject(operation)) throw mismatch(operation, 'jsonpatch.Operation')
    return operation
  })
}

/** The text of operations as JSON; converts YAML. */
export const jsonOf = (text: string): string => (isJson(text) ? text : goJson(parseYaml(text)))

const isJson = (text: string): boolean => text.startsWith('[')

const parseYaml = (text: string, budget?: Budget): JsonValue => {
  const root = parseNodes(text, budget)[0]
  return root ? toJson(root, { schema: 'kubernetes', lastKeyWins: true }) : null
}

const mismatch = (value: JsonValue, type: string): KustomizeError => {
  const kind = { boolean: 'bool', bigint: 'number', object: Array.isArray(value) ? 'array' : 'object' }
  const found = kind[typeof value as keyof typeof kind] ?? typeof value
  return new KustomizeError(`json: cannot unmarshal ${found} into Go value of type ${type}`)
}

type Container = JsonObject | JsonValue[]

/** Applies the operations to the document without modifying them. Pays for the values they add. */
export const patchJson = (document: JsonObject, patch: JsonPatch, budget: Budget): JsonObject => {
  let root: Container = document
  for (const operation of patch) {
    try {
      root = applied(root, operation, budget)
    } catch (error) {
      throw located(error, { field: typeof operation.path === 'string' ? operation.path : undefined })
    }
  }
  if (Array.isArray(root)) throw mismatch(root, 'map[string]interface {}')
  return asFloats(root) as JsonObject
}

/** Go's readers decode all numbers as float64, so that large integers lose precision. */
const asFloats = (value: JsonValue): JsonValue => {
  if (typeof value === 'bigint') return Number(value)
  if (Array.isArray(value)) return value.map(asFloats)
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, asFloats(inner)]))
}

const applied = (root: Container, operation: JsonObject, budget: Budget): Container => {
  switch (operation.op) {
    case 'add':
      add(root, operation, budget)
      return root
    case 'remove':
      remove(root, operation)
      return root
    case 'replace':
      return replace(root, operation, budget)
    case 'move':
      move(root, operation)
      return root
    case 'copy':
      copy(root, operation, budget)
      return root
    case 'test':
      test(root, operation)
      return root
    default:
      throw new KustomizeError(`Unexpected kind: ${typeof operation.op === 'string' ? operation.op : 'unknown'}`)
  }
}

const add = (root: Container, { path, value }: JsonObject, budget: Budget): void => {
  if (typeof path !== 'string') throw missing('add operation failed to decode path')
  const end = endOf(root, path) ?? fail(`add operation does not apply: doc is missing path: "${path}"`)
  wrapping(`error in add for path: '${path}'`, () => put(end, copyOf(value, budget)))
}

const remove = (root: Container, { path }: JsonObject): void => {
  if (typeof path !== 'string') throw missing('remove operation failed to decode path')
  const end = endOf(root, path) ?? fail(`remove operation does not apply: doc is missing path: "${path}"`)
  wrapping(`error in remove for path: '${path}'`, () => take(end))
}

const replace = (root: Container, { path, value }: JsonObject, budget: Budget): Container => {
  const to = wrapping('replace operation failed to decode path', () => textOf('operation missing path field', path))
  if (to === '') {
    if (typeof value === 'object' && value !== null) return copyOf(value, budget) as Container
    throw new KustomizeError('replace operation value must be object or array: %!w(<nil>)')
  }
  const { parent, key } = endOf(root, to) ?? fail(`replace operation does not apply: doc is missing path: ${to}`)
  if (!Array.isArray(parent)) setKey(parent, key, copyOf(value, budget))
  else {
    const index = attempt(() => indexOf(key, parent.length))
    parent[index ?? fail(`replace operation does not apply: doc is missing key: ${to}`)] = copyOf(value, budget)
  }
  return root
}

const move = (root: Container, { from, path }: JsonObject): void => {
  const of = wrapping('move operation failed to decode from', () => textOf('operation, missing from field', from))
  const start = endOf(root, of) ?? fail(`move operation does not apply: doc is missing from path: ${of}`)
  const value = wrapping(`error in move for path: '${start.key}'`, () => take(start))
  const to = wrapping('move operation failed to decode path', () => textOf('operation missing path field', path))
  const end = endOf(root, to) ?? fail(`move operation does not apply: doc is missing destination path: ${to}`)
  wrapping(`error in move for path: '${to}'`, () => put(end, value))
}

const copy = (root: Container, { from, path }: JsonObject, budget: Budget): void => {
  const of = wrapping('copy operation failed to decode from', () => textOf('operation, missing from field', from))
  const start = endOf(root, of) ?? fail(`copy operation does not apply: doc is missing from path: ${of}`)
  const value = wrapping(`error in copy for from: '${of}'`, () => valueAt(start))
  if (typeof path !== 'string') throw missing('copy operation failed to decode path')
  const end = endOf(root, path) ?? fail(`copy operation does not apply: doc is missing destination path: ${path}`)
  wrapping('error while adding value during copy', () => put(end, copyOf(value, budget)))
}

const test = (root: Container, { path, value }: JsonObject): void => {
  const at = wrapping('test operation failed to decode path', () => textOf('operation missing path field', path))
  const found = at === '' ? root : valueToTest(root, at)
  if (!isSame(found ?? null, value ?? null)) throw new KustomizeError(`testing value ${at} failed: test failed`)
}

const valueToTest = (root: Container, path: string): JsonValue | undefined => {
  const end = endOf(root, path) ?? fail(`test operation does not apply: is missing path: ${path}`)
  return wrapping(`error in test for path: '${path}'`, () => valueAt(end))
}

const missing = (what: string): KustomizeError => new KustomizeError(`${what}: missing value`)

const fail = (what: string): never => {
  throw missing(what)
}

const textOf = (lack: string, value: JsonValue | undefined): string => {
  if (typeof value === 'string') return value
  throw value === undefined || value === null ? missing(lack) : mismatch(value, 'string')
}

/** Later operations may modify an added value. */
const copyOf = (value: JsonValue | undefined, budget: Budget): JsonValue => {
  spendOnJson(budget, value ?? null)
  return typeof value === 'object' ? structuredClone(value) : (value ?? null)
}

/** The end of a path: the container, and the key or index in it. */
interface End {
  readonly parent: Container
  readonly key: string
}

const unescaped = (token: string): string => token.replaceAll('~1', '/').replaceAll('~0', '~')

const endOf = (root: Container, path: string): End | undefined => {
  const [, ...tokens] = path.split('/').map(unescaped)
  const key = tokens.pop()
  let parent: JsonValue | undefined = root
  for (const token of tokens) {
    const from = parent as Container
    parent = attempt(() => valueAt({ parent: from, key: token }))
    if (typeof parent !== 'object') return undefined
  }
  return key === undefined || parent === null ? undefined : { parent: parent as Container, key }
}

const attempt = <T>(step: () => T): T | undefined => {
  try {
    return step()
  } catch {
    return undefined
  }
}

const valueAt = ({ parent, key }: End): JsonValue | undefined => {
  if (Array.isArray(parent)) return parent[indexOf(key, parent.length)]
  return Object.hasOwn(parent, key) ? parent[key] : undefined
}

const take = ({ parent, key }: End): JsonValue => {
  if (Array.isArray(parent)) return parent.splice(indexOf(key, parent.length), 1)[0]!
  if (!Object.hasOwn(parent, key)) throw missing(`Unable to remove nonexistent key: ${key}`)
  const value = parent[key]!
  delete parent[key]
  return value
}

const put = ({ parent, key }: End, value: JsonValue): void => {
  if (!Array.isArray(parent)) setKey(parent, key, value)
  else if (key === '-') parent.push(value)
  else {
    const index = wrapping(`value was not a proper array index: '${key}'`, () => integer(key))
    parent.splice(within(index, parent.length + 1), 0, value)
  }
}

const indexOf = (key: string, length: number): number => within(integer(key), length)

const integer = (text: string): number => {
  if (!/^[-+]?\d+$/.test(text)) throw new KustomizeError(`strconv.Atoi: parsing ${quote(text)}: invalid syntax`)
  return Number(text)
}

/** Negative numbers count from the end. */
const within = (index: number, length: number): number => {
  if (index >= length || index < -length)
    throw new KustomizeError(`Unable to access invalid index: ${index}: invalid index referenced`)
  return index < 0 ? index + length : index
}

const isSame = (a: JsonValue, b: JsonValue): boolean => {
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((item, i) => isSame(item, b[i]!))
  if (!isObject(a) || !isObject(b)) return a === b
  const keys = Object.keys(a)
  return keys.length === Object.keys(b).length && keys.every(key => Object.hasOwn(b, key) && isSame(a[key]!, b[key]!))
}
