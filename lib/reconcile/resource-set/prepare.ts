import { type Owner, withOwnerLabels } from '../../clusters/apply/owner.ts'
import { readable } from '../../engines/resource-set/common-metadata.ts'
import type { DataSource } from '../../engines/resource-set/data-source.ts'
import { fillData } from '../../engines/resource-set/fill-data.ts'
import { identityOf } from '../../engines/resource-set/identity.ts'
import type { RenderedStep } from '../../engines/resource-set/render.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { refKey } from '../../foundations/kinds/object.ts'
import type { DataReader } from './target-cluster.ts'

/** Adds owner labels; drops labels that aren't all strings, as flux-operator does (RS-052). */
export const owned = (owner: Owner, steps: readonly RenderedStep[]): readonly RenderedStep[] =>
  steps.map(step => ({
    ...step,
    objects: step.objects.map(object =>
      withOwnerLabels(
        { ...object, metadata: { ...object.metadata, labels: readable(object.metadata?.labels) } },
        owner,
      ),
    ),
  }))

/** Fills in the data that annotations request, read with the identity that the ResourceSet acts as (RS-064). */
export const filled = async (
  steps: readonly RenderedStep[],
  sources: DataReader,
  signal: AbortSignal,
): Promise<{ readonly steps: readonly RenderedStep[]; readonly sources: readonly DataSource[] }> => {
  const { objects, sources: read } = await fillData(
    steps.flatMap(step => step.objects),
    async source => {
      const { kind, namespace, name } = source
      const found = await sources.get('v1', { group: '', kind, namespace, name }, { signal })
      if (!found) throw new Error(`${kind.toLowerCase()}s "${name}" not found`)
      return found
    },
  )
  let start = 0
  const inSteps = steps.map(step => {
    const end = start + step.objects.length
    const part = { ...step, objects: objects.slice(start, end) }
    start = end
    return part
  })
  return { steps: inSteps, sources: read }
}

/** The objects to send, each once. Fails if a name is not a string. */
export const applicable = (objects: readonly KubernetesObject[]): readonly KubernetesObject[] => {
  const byRef = new Map<string, KubernetesObject>()
  for (const [index, object] of objects.entries()) {
    const ref = identityOf(object)
    if (ref.name === '')
      throw new Error(
        `${object.kind} ${index + 1} of ${objects.length}: metadata.name must be a string: quote numbers in templates`,
      )
    byRef.set(refKey(ref), object) // without inputs nothing is deduplicated: the last one would be applied last
  }
  return [...byRef.values()]
}
