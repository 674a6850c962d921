import type { Clusters } from '../clusters/client/clusters.ts'
import type { Compared } from '../foundations/fleet/comparison.ts'
import type { HelmRelease } from '../foundations/kinds/helm-release.ts'
import type { Kustomization } from '../foundations/kinds/kustomization.ts'
import type { KubernetesObject, ObjectRef } from '../foundations/kinds/object.ts'
import { errorMessage } from '../foundations/rules/error-message.ts'
import type { Compare } from '../hub/live/comparison-reports.ts'
import { createReferences } from '../hub/references/references.ts'
import { compareHelmRelease } from '../reconcile/helm-release/compare.ts'
import { defaultHelmReleaseSettings } from '../reconcile/helm-release/settings.ts'
import { compareKustomization } from '../reconcile/kustomization/compare.ts'
import { defaultKustomizationSettings } from '../reconcile/kustomization/settings.ts'
import { leftToRunner } from '../reconcile/runner/left-to-runner.ts'
import { dryRunPass } from '../reconcile/runtime/dry-run-pass.ts'
import { isMistake } from '../reconcile/runtime/halt.ts'
import { unsharedReads } from '../reconcile/runtime/shared-reads.ts'
import type { HubOfAppliers } from './hub.ts'
import type { CoreSettings, Ports } from './platform.ts'

const timeoutMs = 50_000

/** Compares units with their clusters, in this process: as the identity of the unit, by reads and dry runs. */
export const composeComparison = (
  ports: Ports,
  settings: CoreSettings,
  { hub, ...ofAppliers }: HubOfAppliers,
  clusters: Clusters,
): Compare => {
  const { clock } = ports
  const references = createReferences(hub)
  const isElsewhere = leftToRunner(references)
  const parts = { ...ports, ...ofAppliers, clusters, references }
  const compare = (unit: KubernetesObject, signal: AbortSignal) => {
    const given = { signal, startedAt: clock.now(), dryRun: unsharedReads(signal), confine: unconfined }
    if (unit.kind === 'HelmRelease')
      return compareHelmRelease(unit as HelmRelease, dryRunPass(given), {
        ...parts,
        settings: { ...defaultHelmReleaseSettings, ...settings },
      })
    return compareKustomization(unit as Kustomization, dryRunPass(given), {
      ...parts,
      settings: { ...defaultKustomizationSettings, ...settings },
    })
  }
  return async (ref: ObjectRef): Promise<Compared> => {
    const unit = await hub.get(ref)
    if (!unit) return { notCompared: 'it does not exist any more' }
    if (await isElsewhere(unit)) return { notCompared: 'its cluster is reached by a runner' }
    const signal = AbortSignal.timeout(timeoutMs)
    try {
      return (await compare(unit, signal)) ?? { notCompared: 'its Cluster is suspended' }
    } catch (error) {
      if (isMistake(error)) throw error
      if (signal.aborted) return { notCompared: `it takes more than ${timeoutMs / 1000} seconds` }
      return { notCompared: errorMessage(error) }
    }
  }
}

const unconfined: Parameters<typeof dryRunPass>[0]['confine'] = async cluster => cluster
