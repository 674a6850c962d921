import { countsOf, describePlanned, planDigest } from '../clusters/apply/describe-planned.ts'
import { changesOf } from '../clusters/helm-release/changes.ts'
import { countUnchanged, plannedRelease, releaseDisclosure } from '../clusters/helm-release/planned-release.ts'
import { preview } from '../clusters/helm-release/preview.ts'
import { manifestObjects } from '../engines/helm/release/manifest-text.ts'
import type { HelmRelease } from '../foundations/kinds/helm-release.ts'
import type { KubernetesObject } from '../foundations/kinds/object.ts'
import { sha256Digest } from '../foundations/rules/sha256.ts'
import type { HubAccess } from './hub-access.ts'
import { type LocalReleaseOptions, workOn } from './local-release.ts'
import { localVerdict } from './local-verdict.ts'
import type { LocalPlan } from './plan-kustomization.ts'

const fieldManager = 'helm-controller'

/** What installing or upgrading a HelmRelease would change on its cluster; hooks are not part of it. */
export const planHelmRelease = async (
  release: HelmRelease,
  hub: HubAccess,
  options: LocalReleaseOptions,
): Promise<LocalPlan> => {
  const { deps, requests } = await workOn(release, options, hub)
  const built = await preview(deps, requests)
  const { changes, refused } = plannedRelease(await changesOf(deps, built), fieldManager)
  const objects = manifestObjects(built.release.manifest ?? '') as unknown as readonly KubernetesObject[]
  const disclosure = releaseDisclosure(objects, fieldManager)
  const unit = { apiVersion: release.apiVersion, kind: release.kind, name: release.metadata.name }
  const manifests = sha256Digest(built.release.manifest ?? '')
  const subject = [unit.kind, release.metadata.namespace ?? '', unit.name]
  const chart = built.release.chart?.metadata
  const unchanged = countUnchanged(objects, changes)
  const judged = { unit: release, planned: { changes, unchanged }, disclosure }
  const { approvals, ...verdict } = await localVerdict(judged, hub, deps.cluster)
  return {
    spec: {
      unit,
      ...(chart && { revision: `${chart.name}@${chart.version}` }),
      manifests,
      digest: planDigest({ subject, manifests }, changes, disclosure),
      counts: countsOf({ changes, unchanged }),
      ...(approvals && { approvals }),
    },
    changes: describePlanned(changes, disclosure),
    ...verdict,
    ...(refused.length > 0 && { errors: refused }),
  }
}
