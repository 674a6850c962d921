import { compareText } from '../../foundations/go/compare-text.ts'

/**
 * Sets of fields of an object, as trees: the content of `metadata.managedFields`. Immutable: operations share unchanged parts, and return
 * the set itself if nothing changes.
 */
export interface FieldSet {
  /** Whether the field itself is in the set, not only fields below it. */
  readonly self: boolean
  /** By element, as in FieldsV1: `f:name`, `k:{"name":"a"}`, `v:"x"`, `i:0`. */
  readonly below: ReadonlyMap<Element, FieldSet>
}

/** One step from a value to a part of it: a field name, or a list item by its keys, value or index. */
export type Element = string

const nothing: ReadonlyMap<Element, FieldSet> = new Map()

export const emptySet: FieldSet = { self: false, below: nothing }

/** Only the field itself. */
export const leaf: FieldSet = { self: true, below: nothing }

/**
 * A set with its own membership and those below. The empty one and the leaf are shared, so that sets without content
 * are small.
 */
export const fieldSet = (self: boolean, below: ReadonlyMap<Element, FieldSet>): FieldSet => {
  if (below.size === 0) return self ? leaf : emptySet
  return { self, below }
}

export const isEmpty = ({ self, below }: FieldSet): boolean => !self && below.size === 0

/** Whether both have the same fields, in any order. */
export const isEqual = (a: FieldSet, b: FieldSet): boolean => {
  if (a === b) return true
  if (a.self !== b.self || a.below.size !== b.below.size) return false
  for (const [element, child] of a.below) {
    const other = b.below.get(element)
    if (!other || !isEqual(child, other)) return false
  }
  return true
}

/** The fields of either set. Shares what it can with both, and changes none. */
export const union = (a: FieldSet, b: FieldSet): FieldSet => {
  if (a === b || isEmpty(b)) return a
  if (isEmpty(a)) return b
  const below = new Map(a.below)
  for (const [element, child] of b.below) {
    const mine = below.get(element)
    below.set(element, mine ? union(mine, child) : child)
  }
  return { self: a.self || b.self, below }
}

/** The fields of any of the sets; empty for none. */
export const unionAll = (sets: Iterable<FieldSet>): FieldSet => {
  let all = emptySet
  for (const set of sets) all = union(all, set)
  return all
}

/** The fields in both sets; parents without common fields are dropped. */
export const intersection = (a: FieldSet, b: FieldSet): FieldSet => {
  if (a === b) return a
  const below = new Map<Element, FieldSet>()
  for (const [element, child] of a.below) {
    const other = b.below.get(element)
    const common = other ? intersection(child, other) : emptySet
    if (!isEmpty(common)) below.set(element, common)
  }
  return fieldSet(a.self && b.self, below)
}

/** The fields of `a` that are not in `b`. A field of `b` removes only itself, not the fields below it. */
export const difference = (a: FieldSet, b: FieldSet): FieldSet =>
  subtract(a, b, (child, other) => difference(child, other))

/** The fields of `a` that are neither in `b` nor below a field of `b`. */
export const without = (a: FieldSet, b: FieldSet): FieldSet =>
  subtract(a, b, (child, other) => (other.self ? emptySet : without(child, other)))

const subtract = (a: FieldSet, b: FieldSet, inner: (child: FieldSet, other: FieldSet) => FieldSet): FieldSet => {
  let below: Map<Element, FieldSet> | undefined
  for (const [element, other] of b.below) {
    const child = a.below.get(element)
    if (!child) continue
    const left = inner(child, other)
    if (left === child) continue
    below ??= new Map(a.below)
    if (isEmpty(left)) below.delete(element)
    else below.set(element, left)
  }
  const self = a.self && !b.self
  return below || self !== a.self ? fieldSet(self, below ?? a.below) : a
}

/** The set of fields at these paths: `setOf(['metadata', 'name'], ['status'])`. */
export const setOf = (...paths: readonly (readonly string[])[]): FieldSet =>
  unionAll(paths.map(path => path.reduceRight((below, name) => fieldSet(false, new Map([[`f:${name}`, below]])), leaf)))

/** The paths of all fields in the set, as elements; an object's fields before the fields below them. */
export function* pathsOf(set: FieldSet, path: readonly Element[] = []): Generator<readonly Element[]> {
  const elements = [...set.below.keys()].sort(compareElements)
  for (const element of elements) if (set.below.get(element)!.self) yield [...path, element]
  for (const element of elements) yield* pathsOf(set.below.get(element)!, [...path, element])
}

/** Fields by name first, then list items by key, value and index; each sorted. */
export const compareElements = (a: Element, b: Element): number => {
  const byKind = 'fkvi'.indexOf(a[0]!) - 'fkvi'.indexOf(b[0]!)
  if (byKind !== 0) return byKind
  if (a.startsWith('i:')) return Number(a.slice(2)) - Number(b.slice(2))
  return compareText(a, b)
}
