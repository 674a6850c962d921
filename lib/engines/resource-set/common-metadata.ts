import type { KubernetesObject, ObjectMeta } from '../../foundations/kinds/object.ts'
import type { ResourceSetSpec } from '../../foundations/kinds/resource-set.ts'

type Marks = Readonly<Record<string, string>>

/** Adds labels and annotations to the object, replacing those with the same keys (RS-078). */
export const withCommonMetadata = (
  object: KubernetesObject,
  { labels, annotations }: NonNullable<ResourceSetSpec['commonMetadata']> = {},
): KubernetesObject => {
  if (!labels && !annotations) return object
  const metadata: ObjectMeta = {
    ...object.metadata,
    ...(labels && { labels: { ...readable(object.metadata?.labels), ...labels } }),
    ...(annotations && { annotations: { ...readable(object.metadata?.annotations), ...annotations } }),
  }
  return { ...object, metadata }
}

/** Labels or annotations with any value that is not a string are ignored: quote numbers and booleans in templates (RS-052). */
export const readable = (marks: Marks | undefined): Marks =>
  Object.values(marks ?? {}).every(value => typeof value === 'string') ? (marks ?? {}) : {}
