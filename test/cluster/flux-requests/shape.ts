/** A JSON value reduced to what a client relies on: literal where a value tells something, else the type's name. */
export type Shape = string | boolean | null | readonly Shape[] | { readonly [key: string]: Shape }

const typeNames = ['string', 'number', 'boolean']

/** Fields whose very value matters to a client. */
const telling = [
  'kind',
  'apiVersion',
  'type',
  'status',
  'reason',
  'name',
  'namespace',
  'code',
  'suspend',
  'plural',
  'allowed',
]

/** `<object>.<16 hex digits of a time>`, and images of a registry of ours: others in each run. */
const passing = /\.[0-9a-f]{16}$|^127\.0\.0\.1:\d+\//

/** Fields no client of ours looks at, and whose content follows from how the object came to be. */
const followsFromHistory = ['managedFields', 'kubectl.kubernetes.io/last-applied-configuration']

/** Of definitions: what other tests compare with those of a kube-apiserver. */
const comparedElsewhere = ['openAPIV3Schema', 'additionalPrinterColumns']

const ignored = [...followsFromHistory, ...comparedElsewhere]

/** `<now>` stays: it is a time which the client gave and looks for in the answer. */
export function shapeOf(value: unknown, key = ''): Shape {
  if (value === null) return null
  if (Array.isArray(value)) return withoutDuplicates(value.map(item => shapeOf(item)))
  if (typeof value === 'object') {
    const entries = Object.entries(value).filter(([name]) => !ignored.includes(name))
    return Object.fromEntries(entries.map(([name, member]) => [name, shapeOf(member, name)]))
  }
  if (typeof value === 'boolean' && telling.includes(key)) return value
  if (typeof value === 'string' && (value === '<now>' || (telling.includes(key) && !passing.test(value)))) return value
  return typeof value
}

export const withoutDuplicates = (shapes: readonly Shape[]): Shape[] =>
  Array.from(new Map(shapes.map(shape => [JSON.stringify(shape), shape])).values())

/**
 * Where an answer lacks something of a shape, as a path with the reason; undefined when it has all of it. More fields
 * and more items than the shape has are fine, and the order of items is free.
 */
export function lackOf(actual: unknown, shape: Shape, path = '$'): string | undefined {
  if (Array.isArray(shape)) {
    if (!Array.isArray(actual)) return `${path}: ${JSON.stringify(actual)} is no list`
    const missing = shape.findIndex(item => actual.every(candidate => lackOf(candidate, item) !== undefined))
    return missing < 0 ? undefined : `${path}: no item like ${JSON.stringify(shape[missing])}`
  }
  if (typeof shape === 'object' && shape !== null) {
    if (typeof actual !== 'object' || actual === null) return `${path}: ${JSON.stringify(actual)} is no object`
    for (const [name, member] of Object.entries(shape)) {
      if (!Object.hasOwn(actual, name)) return `${path}.${name} is missing`
      const lack = lackOf((actual as Record<string, unknown>)[name], member, `${path}.${name}`)
      if (lack) return lack
    }
    return undefined
  }
  const fits = typeNames.includes(String(shape)) ? typeof actual === shape || actual === shape : actual === shape
  return fits ? undefined : `${path}: ${JSON.stringify(actual)} is not ${JSON.stringify(shape)}`
}
