import { changesOf } from '../clusters/helm-release/changes.ts'
import { countUnchanged, plannedRelease, releaseDisclosure } from '../clusters/helm-release/planned-release.ts'
import { preview } from '../clusters/helm-release/preview.ts'
import { manifestObjects } from '../engines/helm/release/manifest-text.ts'
import type { HelmRelease } from '../foundations/kinds/helm-release.ts'
import type { KubernetesObject } from '../foundations/kinds/object.ts'
import { sha256Digest } from '../foundations/rules/sha256.ts'
import type { HubAccess } from './hub-access.ts'
import { type LocalPlan, localPlan } from './local-plan.ts'
import { type LocalReleaseOptions, workOn } from './local-release.ts'

const fieldManager = 'helm-controller'

/** What installing or upgrading a HelmRelease would change on its cluster; hooks are not part of it. */
export const planHelmRelease = async (
  release: HelmRelease,
  hub: HubAccess,
  options: LocalReleaseOptions,
): Promise<LocalPlan> => {
  const { deps, requests, reference } = await workOn(release, options, hub)
  const built = await preview(deps, requests)
  const { changes, refused } = plannedRelease(await changesOf(deps, built))
  const objects = manifestObjects(built.release.manifest ?? '') as unknown as readonly KubernetesObject[]
  const disclosure = releaseDisclosure(objects, fieldManager)
  const chart = built.release.chart?.metadata
  return localPlan(
    {
      ...{ unit: release, planned: { changes, unchanged: countUnchanged(objects, changes) }, disclosure },
      ...{ cluster: deps.cluster, reference, manifests: sha256Digest(built.release.manifest ?? '') },
      ...{ revision: chart && `${chart.name}@${chart.version}`, errors: refused },
    },
    hub,
  )
}
