/** Where a kustomization.yaml holds text: a text, a map or list of one shape, or fields with a shape each. */
type Shape = 'text' | { readonly each: Shape } | { readonly fields: Readonly<Record<string, Shape>> }

const texts: Shape = { each: 'text' }
const options: Shape = { fields: { labels: texts, annotations: texts } }
const generators: Shape = { each: { fields: { name: 'text', namespace: 'text', options } } }

const file: Shape = {
  fields: {
    namespace: 'text',
    namePrefix: 'text',
    nameSuffix: 'text',
    commonLabels: texts,
    commonAnnotations: texts,
    labels: { each: { fields: { pairs: texts } } },
    images: { each: { fields: { name: 'text', newName: 'text', newTag: 'text', digest: 'text' } } },
    generatorOptions: options,
    configMapGenerator: generators,
    secretGenerator: generators,
  },
}

/**
 * A kustomization.yaml with numbers and booleans as text where text is meant (`newTag: 1.2`): Flux rewrites the file, and
 * what reads it for that takes them for text, while kustomize refuses them. The same object when there are none.
 */
export const withTexts = <T>(kustomization: T): T => reshaped(kustomization, file) as T

const reshaped = (value: unknown, shape: Shape): unknown => {
  if (shape === 'text') return typeof value === 'number' || typeof value === 'boolean' ? String(value) : value
  if (Array.isArray(value))
    return 'each' in shape
      ? same(
          value,
          value.map(item => reshaped(item, shape.each)),
        )
      : value
  if (typeof value !== 'object' || value === null) return value
  const shapeOf = (key: string) => ('each' in shape ? shape.each : shape.fields[key])
  const entries = Object.entries(value).map(([key, field]) => {
    const inner = shapeOf(key)
    return [key, inner ? reshaped(field, inner) : field] as const
  })
  const isSame = entries.every(([key, field]) => field === (value as Readonly<Record<string, unknown>>)[key])
  return isSame ? value : Object.fromEntries(entries)
}

const same = (before: readonly unknown[], after: readonly unknown[]): readonly unknown[] =>
  after.every((item, at) => item === before[at]) ? before : after
