import type { ClusterClient } from '../clusters/client/client.ts'
import { clusterNameOf, type FleetCluster } from '../foundations/fleet/fleet-clusters.ts'
import { ownerOn } from '../foundations/fleet/owner-labels.ts'
import type { Running } from '../foundations/fleet/versions.ts'
import type { KubernetesObject } from '../foundations/kinds/object.ts'

interface Workload extends KubernetesObject {
  readonly spec?: {
    readonly template?: PodTemplate
    readonly jobTemplate?: { readonly spec?: { readonly template?: PodTemplate } }
  }
}

interface PodTemplate {
  readonly spec?: Readonly<Partial<Record<'containers' | 'initContainers', readonly { readonly image?: string }[]>>>
}

const workloads = [
  ...['Deployment', 'StatefulSet', 'DaemonSet'].map(kind => ({ apiVersion: 'apps/v1', kind })),
  { apiVersion: 'batch/v1', kind: 'CronJob' },
]

/** The images in the workloads of a cluster that units own. */
export const runningImages = async (
  client: ClusterClient,
  at: FleetCluster,
  signal: AbortSignal,
): Promise<readonly Running[]> => {
  const lists = await Promise.all(workloads.map(query => client.list(query, { signal })))
  return lists.flatMap(({ items }) =>
    (items as readonly Workload[]).flatMap(workload => {
      const owner = ownerOn(workload)
      if (!owner) return []
      return imagesOf(workload).map(image => ({ ...parts(image), cluster: clusterNameOf(at), unit: owner.unit }))
    }),
  )
}

const imagesOf = ({ spec }: Workload): readonly string[] => {
  const { containers = [], initContainers = [] } = (spec?.template ?? spec?.jobTemplate?.spec?.template)?.spec ?? {}
  return [...new Set([...initContainers, ...containers].flatMap(({ image }) => image ?? []))]
}

/** Name and version: what stands behind `@`, or behind the last colon of the last segment. */
const parts = (image: string): { readonly what: string; readonly version: string } => {
  const [, name = image, tag, digest] = /^(.*?)(?::([^:/@]+))?(?:@(.+))?$/.exec(image) ?? []
  return { what: `image ${name}`, version: [tag, digest].filter(Boolean).join('@') || 'latest' }
}
