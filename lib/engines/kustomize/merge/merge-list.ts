import { field, isMissing, scalarNode, seqNode, type YamlNode } from '../../yaml/node.ts'
import { KustomizeError } from '../kustomize-error.ts'
import { assign, expectKind, setFieldOf } from '../node-path.ts'
import type { TypeSchema } from '../schema/schema.ts'
import type { MergeWalk, Sources } from './merge-visitor.ts'

/** The identity of an element: the values of its merge keys, '' for missing ones. */
type Identity = readonly string[]

/** Merges the nodes at one path, recursively. */
type Merge = (walk: MergeWalk, sources: Sources, type?: TypeSchema) => YamlNode | undefined

/** Merges list elements that match by key, or by value if there are no keys. */
export const mergeElements = (
  walk: MergeWalk,
  sources: Sources,
  dest: YamlNode,
  keys: readonly string[],
  type: TypeSchema | undefined,
  merge: Merge,
): YamlNode | undefined => {
  const ordered = walk.newElements === 'prepend' ? [...sources.slice(1), sources[0]] : sources
  let identities = keys.length > 0 ? identitiesOf(ordered, keys) : valuesOf(ordered)
  const byKeys = keys.length > 0 ? keys : ['']
  if (byKeys.length > 1) identities = completed(identities)
  if (identities.length === 0) return isMissing(dest) ? undefined : dest

  const merged = seqNode()
  let used: readonly string[] = byKeys
  for (const identity of identities) {
    const usable = usableKeys(identities, identity, byKeys)
    used = usable.keys
    const own = usableKeys([usable.values], usable.values, usable.keys)
    const parts = sources.map(node => findElement(node, own.keys, own.values))
    const element = merge(walk, parts, type?.elements())
    if (isMissing(element) || (element.kind === 'map' && element.content.length === 0)) {
      removeElement(dest, usable.keys, usable.values)
      continue
    }
    usable.keys.forEach((key, i) => {
      const value = usable.values[i]!
      if (value === '' || field(element, key)) return
      if (key === '') assign(element, scalarNode(value))
      else setFieldOf(element, key, scalarNode(value))
    })
    setElement(merged, element, usable.keys, usable.values)
  }
  return walk.newElements === 'prepend' ? appendElements(merged, dest, used) : appendElements(dest, merged, used)
}

/** The merge key of lists of unknown type. */
export const commonKey = (sources: Sources, path: readonly string[]): string => {
  const where = path.join('.')
  let key = ''
  for (const node of sources) {
    if (!node || node.content.length === 0) continue
    const found = inferredKey(node) ?? ''
    if (key !== '' && key !== found)
      throw new KustomizeError(`conflicting merge keys [${key},${found}] for field ${where}`)
    key = found
  }
  if (key === '') throw new KustomizeError(`no merge key found for field ${where}`)
  return key
}

/** `name`, if every element is a mapping with one. */
export const inferredKey = (list: YamlNode): string | undefined => {
  return list.content.every(item => field(item, 'name') !== undefined) ? 'name' : undefined
}

const identitiesOf = (sources: Sources, keys: readonly string[]): Identity[] => {
  const found = new Map<string, Identity>()
  for (const list of sources) {
    if (list?.kind !== 'seq') continue
    for (const item of list.content) {
      const identity = keys.map(key => {
        const value = field(item, key)
        return isMissing(value) ? '' : value.value
      })
      found.set(JSON.stringify(identity), identity)
    }
  }
  return [...found.values()]
}

const valuesOf = (sources: Sources): Identity[] => {
  const values = new Set<string>()
  for (const list of sources) if (list) for (const item of list.content) values.add(item.value)
  return [...values].map(value => [value])
}

/** Identities that agree in all keys they share are the same: each is completed from the other. */
const completed = (identities: readonly Identity[]): Identity[] => {
  const result = [...identities]
  for (const i of identities.keys()) {
    const one = result[i]!
    for (const [j, other] of result.entries()) {
      const both = united(one, other)
      if (both) result[i] = result[j] = both
    }
  }
  return result
}

const united = (a: Identity, b: Identity): Identity | undefined => {
  let common = false
  const values: string[] = []
  for (let i = 0; i < a.length; i++) {
    if (a[i] === b[i]) common = true
    else if (a[i] !== '' && b[i] !== '') return undefined
    values.push(a[i] || b[i]!)
  }
  return common ? values : undefined
}

/** Only keys that some element has can identify elements. */
const usableKeys = (
  identities: readonly Identity[],
  identity: Identity,
  keys: readonly string[],
): { keys: readonly string[]; values: readonly string[] } => {
  const known = keys.map((_, i) => identities.some(values => values[i] !== ''))
  if (!known.includes(true)) return { keys, values: identity }
  return { keys: keys.filter((_, i) => known[i]), values: identity.filter((_, i) => known[i]) }
}

const matches = (item: YamlNode, keys: readonly string[], values: readonly string[]): boolean =>
  keys.every((key, i) => field(item, key)?.value === values[i])

const findElement = (
  list: YamlNode | undefined,
  keys: readonly string[],
  values: readonly string[],
): YamlNode | undefined => {
  if (list?.kind !== 'seq') return undefined
  if (keys[0] === '') return list.content.find(item => item.value === values[0])
  return list.content.find(item => matches(item, keys, values))
}

const isEmptyElement = (item: YamlNode): boolean =>
  isMissing(item) || (item.kind === 'map' && item.content.length === 0)

/**
 * Whether an element has this identity. For an empty value, the key only has to exist; a key beyond the last value reuses the value of the
 * key before it; and without any values nothing matches.
 */
const hasKeyValues = (item: YamlNode, keys: readonly string[], values: readonly string[]): boolean => {
  let meant = false
  return keys.every((key, i) => {
    if (i < values.length) meant = hasValue(item, key, values[i]!)
    return meant
  })
}

const hasValue = (item: YamlNode, key: string, wanted: string): boolean => {
  if (key === '') {
    expectKind(item, 'scalar')
    return item.value === wanted
  }
  expectKind(item, 'map')
  const value = field(item, key)
  return value !== undefined && (wanted === '' || value.value === wanted)
}

/** Replaces the element with the same identity, or appends. Drops empty elements. */
const setElement = (
  list: YamlNode,
  element: YamlNode | undefined,
  keys: readonly string[],
  values: readonly string[],
): void => {
  const mapping = keys[0] !== '' && Boolean(values[0])
  const content: YamlNode[] = []
  let found = false
  for (const item of list.content) {
    if (isEmptyElement(item)) continue
    if (item.kind !== 'map' && mapping) content.push(item)
    else if (!hasKeyValues(item, keys, values)) {
      if (values.length > 0) content.push(item)
    } else {
      found = true
      if (element) content.push(element)
    }
  }
  if (!isMissing(element) && !found) content.push(element)
  list.content = content
}

/**
 * Removes the elements whose `keys` have these values, and empty ones. A key `''` is the element itself, for lists of
 * scalars.
 */
export const removeElement = (list: YamlNode, keys: readonly string[], values: readonly string[]): void =>
  setElement(list, undefined, keys, values)

const appendElements = (dest: YamlNode, source: YamlNode, keys: readonly string[]): YamlNode => {
  for (const item of source.content) {
    if (keys[0] === '') {
      setElement(dest, item, [''], [item.value])
      continue
    }
    const values: string[] = []
    expectKind(item, 'map')
    for (const key of keys) {
      const value = field(item, key)
      if (value === undefined) dest.content.push(item)
      else values.push(value.value)
    }
    if (keys.length > 1) removeElement(dest, keys, values)
    setElement(dest, item, keys, values)
  }
  return dest
}
