import { isSameJson } from '../../../foundations/kinds/schema/same-json.ts'

type Fields = Readonly<Record<string, unknown>>

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The merge keys of lists in Kubernetes' own kinds; other lists are replaced as a whole. */
const KEYS: Readonly<Record<string, readonly string[]>> = {
  ports: ['containerPort', 'port'],
  volumeMounts: ['mountPath'],
  volumeDevices: ['devicePath'],
  hostAliases: ['ip'],
  topologySpreadConstraints: ['topologyKey'],
  ownerReferences: ['uid'],
}

/**
 * A live object after client-side apply: fields of `target` are set, fields of `original` that `target` lacks are removed, fields set by
 * others are kept. Lists of objects are merged by Kubernetes' merge keys.
 */
export const threeWayMerge = <T>(original: T, target: T, live: T): T => merge(original, target, live, '') as T

const merge = (original: unknown, target: unknown, live: unknown, field: string): unknown => {
  if (isFields(target) && isFields(live)) return mergeFields(isFields(original) ? original : {}, target, live)
  if (Array.isArray(target) && Array.isArray(live)) {
    const key = keyOf(field, [...target, ...live])
    if (key) return mergeItems(Array.isArray(original) ? original : [], target, live, key)
  }
  return isSameJson(target, live) ? live : target
}

const mergeFields = (original: Fields, target: Fields, live: Fields): Fields => {
  const merged: Record<string, unknown> = { ...live }
  for (const key of Object.keys(original)) if (!isSet(target[key])) delete merged[key]
  for (const [key, value] of Object.entries(target)) {
    if (value === null) delete merged[key]
    else merged[key] = key in live ? merge(original[key], value, live[key], key) : value
  }
  return merged
}

const isSet = (value: unknown): boolean => value !== undefined && value !== null

const keyOf = (field: string, items: readonly unknown[]): string | undefined =>
  [...(KEYS[field] ?? []), 'name'].find(key => items.every(item => isFields(item) && isSet(item[key])))

/** Items keep their order; new ones are appended. */
const mergeItems = (
  original: readonly unknown[],
  target: readonly unknown[],
  live: readonly unknown[],
  key: string,
): readonly unknown[] => {
  const byKey = (items: readonly unknown[]) => new Map(items.map(item => [(item as Fields)[key], item as Fields]))
  const [before, wanted, present] = [byKey(original.filter(isFields)), byKey(target), byKey(live)]
  const kept = live.filter(item => {
    const id = (item as Fields)[key]
    return wanted.has(id) || !before.has(id)
  })
  return [
    ...kept.map(item => {
      const id = (item as Fields)[key]
      const desired = wanted.get(id)
      return desired ? mergeFields(before.get(id) ?? {}, desired, item as Fields) : item
    }),
    ...target.filter(item => !present.has((item as Fields)[key])),
  ]
}
