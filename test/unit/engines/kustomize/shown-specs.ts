interface Spec {
  readonly group?: string
  readonly version?: string
  readonly kind?: string
  readonly path?: string
  readonly create?: boolean
}

/** Fields that transformers work on, by transformer; references with what they refer to around them. */
export type DefaultSpecs = Record<string, readonly (Spec & { readonly fieldSpecs?: readonly Spec[] })[]>

const shownKind = ({ kind = '', version = '', group = '' }: Spec): string => `${kind}.${version}.${group}`

/** A line for each, in the order of the alphabet, and once. */
export const shownSpecs = (specs: DefaultSpecs): readonly string[] => {
  const lines = Object.entries(specs).flatMap(([name, all]) =>
    all.flatMap(outer =>
      (outer.fieldSpecs ?? [outer]).map(spec =>
        [
          name,
          ...(outer.fieldSpecs ? [`of ${shownKind(outer)}`] : []),
          `in ${shownKind(spec)}`,
          spec.path,
          ...(spec.create ? ['created'] : []),
        ].join(' '),
      ),
    ),
  )
  return [...new Set(lines)].sort()
}
