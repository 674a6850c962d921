import { type ChangePolicy, changePolicy } from '../../foundations/kinds/change-policy.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { matchesSelector } from '../../foundations/rules/match-labels.ts'
import type { References } from '../../hub/references/references.ts'
import type { Restraint } from '../windows/restraint.ts'

/** The policies of the hub that judge the changes of a unit. Costs a list. */
export const policiesOf = async (
  unit: KubernetesObject,
  { within }: Pick<Restraint, 'within'>,
  references: Pick<References, 'localList'>,
): Promise<readonly ChangePolicy[]> => {
  const { namespace, clusters = [] } = within ?? {}
  const labelsOf = (object: KubernetesObject | undefined) => object?.metadata.labels ?? {}
  const policies = await references.localList<ChangePolicy>(clusterScoped, changePolicy)
  return policies.filter(({ spec: { namespaceSelector, unitSelector, clusterSelector } }) => {
    const selects = matchesSelector(clusterSelector)
    return (
      matchesSelector(namespaceSelector)(labelsOf(namespace)) &&
      matchesSelector(unitSelector)(labelsOf(unit)) &&
      (!clusterSelector || clusters.some(cluster => selects(labelsOf(cluster))))
    )
  })
}

const clusterScoped = { metadata: {} }
