import type { Explanation } from '../explanation.ts'

export const explained: readonly Explanation[] = [
  {
    file: 'resource-set/adler32.ts',
    line: 'for (let start = 0; start < bytes.length; start += STRETCH) {',
    change: 'start < bytes.length → start <= bytes.length',
    why: 'one stretch more, without bytes, adds nothing',
  },
  {
    file: 'resource-set/fill-data.ts',
    line: "const nameOf = ({ kind, metadata }: KubernetesObject): string => `${kind}/${metadata.namespace ?? ''}/${metadata.name}`",
    change: `'' → "Stryker was here!"`,
    why: 'a source always names a namespace, so an object without one is never it, whatever stands in its place',
  },
]
