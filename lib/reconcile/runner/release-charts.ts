import type { ClusterClient } from '../../clusters/client/client.ts'
import { KubeconfigError } from '../../clusters/client/kubeconfig-error.ts'
import type { HelmRelease } from '../../foundations/kinds/helm-release.ts'
import type { KubernetesObject, ObjectRef } from '../../foundations/kinds/object.ts'
import { helmGroup, sourceGroup } from '../../foundations/kinds/references.ts'
import { isChartOf, type ReleaseCharts } from '../../hub/runners/release-chart.ts'
import type { Session } from '../../hub/runners/session.ts'
import { chartOf, helmChartApiVersion } from '../helm-release/chart-of-release.ts'
import { fieldManager } from '../helm-release/names.ts'

/** On the hub. A runner names the release only: what the HelmChart is follows from the stored spec, as it does for the hub itself. */
export const releaseCharts = (hub: ClusterClient): ReleaseCharts => ({
  apply: (release, ref, dryRun) => hub.apply(chartOf(release, ref), { fieldManager, force: true, dryRun }),
  remove: async (release, place) => {
    const ref = { group: sourceGroup, kind: 'HelmChart', ...place }
    const found = await hub.get(helmChartApiVersion, ref)
    if (found && isChartOf(release, found)) await hub.delete(helmChartApiVersion, ref, { propagation: 'Background' })
  },
})

const elsewhere = 'a runner applies to its own cluster only'

/** In a runner, the hub as a cluster, for HelmCharts of its own releases only. */
export const chartsOnHub = (
  local: ClusterClient,
  session: Pick<Session, 'chart'>,
  ownRelease: (place: Pick<ObjectRef, 'namespace' | 'name'>) => Promise<HelmRelease | undefined>,
): ClusterClient => {
  const about = async (
    chart: KubernetesObject | undefined,
  ): Promise<Pick<Parameters<Session['chart']>[0], 'ref' | 'uid'>> => {
    const { labels = {} } = chart?.metadata ?? {}
    const place = { namespace: labels[`${helmGroup}/namespace`] ?? '', name: labels[`${helmGroup}/name`] ?? '' }
    const release = chart?.kind === 'HelmChart' ? await ownRelease(place) : undefined
    if (!release) throw new KubeconfigError(elsewhere)
    return { ref: { group: helmGroup, kind: 'HelmRelease', ...place }, uid: release.metadata.uid! }
  }
  const refuse = () => Promise.reject(new KubeconfigError(elsewhere))
  return {
    ...local,
    apply: async (object, { dryRun = false }) => (await session.chart({ ...(await about(object)), dryRun })).chart!,
    create: refuse,
    patch: refuse,
    delete: async (apiVersion, ref) => {
      const chart = await local.get(apiVersion, ref)
      const { namespace, name } = ref
      await session.chart({ ...(await about(chart)), remove: { namespace, name } })
      return chart
    },
  }
}
