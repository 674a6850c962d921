import { changeOf } from '../../clusters/apply/change-set.ts'
import { type Disclosure, fieldDiff, type RecordedChange } from '../../clusters/apply/field-diff.ts'
import { masking, secretValues } from '../../clusters/client/mask-secret.ts'
import type { Release } from '../../engines/helm/release/release.ts'
import type { HelmRelease } from '../../foundations/kinds/helm-release.ts'
import { type KubernetesObject, refKey, refOf } from '../../foundations/kinds/object.ts'
import { type PlaceDeps, placedObjects } from './inventory.ts'

/** Versions of a release, before and after an action. */
export interface ReleaseStep {
  readonly before: Release | undefined
  readonly after: Release | undefined
}

/**
 * What an action has changed among the objects of a release, by the manifests of the versions before and after it: without hooks. Of a release that
 * takes values from a Secret no values are shown, as a template may have made anything of them.
 */
export const releaseChanges = async (
  deps: PlaceDeps,
  { spec }: HelmRelease,
  { before, after }: ReleaseStep,
  signal: AbortSignal,
): Promise<readonly RecordedChange[]> => {
  const objectsOf = (release: Release | undefined) => (release ? placedObjects(deps, release, signal) : [])
  const [earlier, later] = [await objectsOf(before), await objectsOf(after)]
  const disclosure: Disclosure = {
    isHidden: () => takesSecrets(spec),
    ...masking(() => secretValues([...earlier, ...later])),
  }
  const known = new Map(earlier.map(object => [keyOf(object), object]))
  const kept = new Set(later.map(keyOf))
  return [
    ...later.map(object => {
      const previous = known.get(keyOf(object))
      if (!previous) return changeOf(object, 'created')
      const diff = fieldDiff(previous, object, disclosure)
      return diff.fields.length === 0 ? changeOf(object, 'unchanged') : { ...changeOf(object, 'configured'), diff }
    }),
    ...earlier.filter(object => !kept.has(keyOf(object))).map(object => changeOf(object, 'deleted')),
  ]
}

/** Whether values of Secrets go into a release. */
export const takesSecrets = ({ valuesFrom = [] }: HelmRelease['spec']): boolean =>
  valuesFrom.some(({ kind }) => kind === 'Secret')

const keyOf = (object: KubernetesObject): string => refKey(refOf(object))
