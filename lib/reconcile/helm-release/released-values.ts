import { masking, secretValues, textsIn } from '../../clusters/client/mask-secret.ts'
import type { StoredRelease } from '../../clusters/helm-release/storage.ts'
import type { ValueMap } from '../../engines/template/values/value.ts'
import type { HelmRelease } from '../../foundations/kinds/helm-release.ts'
import type { Pass } from '../runtime/reconciler.ts'
import { takesSecrets } from './release-changes.ts'

/**
 * Notes the values of stored releases, which differ from what the references say now if a Secret has changed or is gone: a cluster may quote them, too.
 * `values` are the present ones; of these it is known which are of Secrets.
 */
export const noteReleased = (
  { spec }: HelmRelease,
  stored: readonly StoredRelease[],
  note: Pass<HelmRelease>['note'],
  values?: ValueMap,
): void => {
  if (!takesSecrets(spec)) return
  const released = () => {
    const present = new Set(textsIn(values))
    return stored.flatMap(({ release }) => textsIn(release.config)).filter(text => !present.has(text))
  }
  note(masking(() => secretValues([], released())))
}
