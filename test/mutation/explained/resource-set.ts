import { type Explanation, reasonsIn } from '../explanation.ts'

const because = reasonsIn('engines/resource-set')

export const explained: readonly Explanation[] = [
  because('a source always names a namespace, so an object without one is never it, whatever stands in its place')(
    'fill-data.ts',
    "const nameOf = ({ kind, metadata }: KubernetesObject): string => `${kind}/${metadata.namespace ?? ''}/${metadata.name}`",
    `'' → "Stryker was here!"`,
  ),
]
