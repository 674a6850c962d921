import { SopsError } from './sops-error.ts'
import { Branch, type Item, type SopsValue } from './tree.ts'

type Step = { readonly key: string } | { readonly index: number }
interface Place {
  value?: SopsValue
  readonly fields: Map<string, Place>
  readonly items: Map<number, Place>
}

const newPlace = (): Place => ({ fields: new Map(), items: new Map() })

/** Rebuilds nested metadata from flat keys: `age__list_0__map_enc` is the field `enc` of the first item of `age`. */
export const unflatten = (items: readonly Item[]): Branch => {
  const root = newPlace()
  for (const { key, value } of items) {
    if (typeof key !== 'string') continue
    const place = stepsOf(key).reduce(enter, root)
    if (place.value !== undefined) throw malformed(`duplicate value for ${key}`)
    place.value = value
  }
  return toBranch(root)
}

const stepsOf = (path: string): Step[] => {
  const [first, ...rest] = path.split(/(?=__(?:map|list)_)/)
  return [{ key: first! }, ...rest.map(toStep)]
}

const toStep = (part: string): Step => {
  if (part.startsWith('__map_')) return { key: part.slice('__map_'.length) }
  const index = Number(part.slice('__list_'.length))
  if (Number.isSafeInteger(index)) return { index }
  throw malformed('an index is not a number')
}

const enter = (place: Place, step: Step): Place => {
  if ('key' in step) return place.fields.get(step.key) ?? add(place.fields, step.key)
  return place.items.get(step.index) ?? add(place.items, step.index)
}

const add = <K>(places: Map<K, Place>, key: K): Place => {
  const place = newPlace()
  places.set(key, place)
  return place
}

const toBranch = ({ fields }: Pick<Place, 'fields'>): Branch =>
  new Branch([...fields].map(([key, place]) => ({ key, value: toValue(place) })))

const toValue = ({ value, fields, items }: Place): SopsValue => {
  if ([value !== undefined, fields.size > 0, items.size > 0].filter(Boolean).length > 1)
    throw malformed('type mismatch')
  if (value !== undefined) return value
  if (items.size === 0) return toBranch({ fields })
  return Array.from({ length: items.size }, (_, index) => {
    const item = items.get(index)
    if (!item) throw malformed('incomplete list')
    return toValue(item)
  })
}

const malformed = (problem: string): SopsError => new SopsError('metadata', `Error while unflattening: ${problem}`)
