import { type Explanation, reasonsIn } from '../explanation.ts'

const because = reasonsIn('engines/resource-set')

export const explained: readonly Explanation[] = [
  because('one stretch more, without bytes, adds nothing')(
    'adler32.ts',
    'for (let start = 0; start < bytes.length; start += STRETCH) {',
    'start < bytes.length → start <= bytes.length',
  ),
  because('a source always names a namespace, so an object without one is never it, whatever stands in its place')(
    'fill-data.ts',
    "const nameOf = ({ kind, metadata }: KubernetesObject): string => `${kind}/${metadata.namespace ?? ''}/${metadata.name}`",
    `'' → "Stryker was here!"`,
  ),
]
