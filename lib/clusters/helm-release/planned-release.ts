import { describeRef, type KubernetesObject, refOf } from '../../foundations/kinds/object.ts'
import type { Disclosure } from '../apply/field-diff.ts'
import type { PlannedChange } from '../apply/planned-changes.ts'
import { masking, secretValues } from '../client/mask-secret.ts'
import type { PreviewedChange } from './changes.ts'

/** What an action on a release would do, as the plan of a unit. `refused` has the cluster's messages. */
export const plannedRelease = (
  changes: readonly PreviewedChange[],
): { readonly changes: readonly PlannedChange[]; readonly refused: readonly string[] } => ({
  changes: changes.flatMap(change => plannedOf(change) ?? []),
  refused: changes.flatMap(change =>
    change.type === 'refused' ? `${describeRef(refOf(change.object))}: ${change.message}` : [],
  ),
})

/** How many objects of a release a plan leaves as they are. */
export const countUnchanged = (
  objects: readonly KubernetesObject[],
  changes: readonly Pick<PlannedChange, 'action'>[],
): number => Math.max(0, objects.length - changes.filter(({ action }) => action !== 'deleted').length)

/** What may be shown of a plan: no value of the Secrets among the objects of the release. */
export const releaseDisclosure = (
  objects: readonly KubernetesObject[],
  fieldManager: string,
  isHidden: Disclosure['isHidden'] = () => false,
): Disclosure => ({ isHidden, fieldManager, masked: masking(() => secretValues(objects)).masked })

const plannedOf = (change: PreviewedChange): PlannedChange | undefined => {
  const { object } = change
  const base = { ref: refOf(object), apiVersion: object.apiVersion }
  switch (change.type) {
    case 'created':
      return { ...base, action: 'created', desired: object }
    case 'deleted':
      return { ...base, action: 'deleted', removed: object }
    case 'changed': {
      const { live: before, applied: after } = change
      return { ...base, action: 'configured', desired: object, states: { before, after } }
    }
    default:
      return undefined
  }
}
