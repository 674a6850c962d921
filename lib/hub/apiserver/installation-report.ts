/** The FluxReport of a hub: its state as that of an installation of Flux, computed when it is read. */
import { isOff, statusCondition } from '../../foundations/fleet/object-state.ts'
import { compareText } from '../../foundations/go/compare-text.ts'
import { apiVersionOf } from '../../foundations/kinds/all.ts'
import { formatDuration } from '../../foundations/kinds/duration.ts'
import { type FluxInstance, fluxInstance } from '../../foundations/kinds/flux-instance.ts'
import { installation, operatorGroup } from '../../foundations/kinds/flux-operator.ts'
import { type FluxReport, fluxReport } from '../../foundations/kinds/flux-report.ts'
import type { Kind } from '../../foundations/kinds/kind.ts'
import type { Kustomization } from '../../foundations/kinds/kustomization.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { fleetGroup, kustomizeGroup, sourceGroup } from '../../foundations/kinds/references.ts'
import { timestamp } from '../../foundations/rules/conditions.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import type { RecordReader } from '../records/record-reader.ts'
import { fluxVersion } from '../store/built-in-definitions.ts'
import type { Hub } from '../store/hub.ts'
import { type Components, imageOf } from './components.ts'
import { serverVersion } from './documents/server-info.ts'
import { type FleetIndex, fleetIndex } from './fleet/fleet-index.ts'
import { virtualObjects } from './virtual-objects.ts'

export interface ReportSources {
  readonly hub: Pick<Hub, 'get' | 'pages' | 'watch'>
  readonly clock: Pick<Clock, 'now'>
  readonly components: Components
  /** The kinds of Flux, and Keelson's own, which are left out. */
  readonly fluxKinds: () => readonly Kind[]
}

/** Reads what has changed since the last report. */
export const installationReport = (sources: ReportSources): RecordReader => {
  const index = fleetIndex(sources.hub, counted)
  return { kind: fluxReport, ...virtualObjects(async () => [await reportOf(sources, index)]) }
}

const reportOf = async (
  { hub, clock, components, fluxKinds }: ReportSources,
  index: FleetIndex<Counted>,
): Promise<FluxReport> => {
  const startedAt = clock.now()
  const { gitVersion, platform } = serverVersion
  const apiVersion = apiVersionOf(fluxReport)
  const [sync, reconcilers] = [
    await syncOf(hub),
    await Promise.all(
      fluxKinds()
        .filter(({ group }) => group !== fleetGroup)
        .map(statsOf(index)),
    ),
  ]
  const { namespace, name } = installation
  const since = timestamp(components.since)
  return {
    ...{ apiVersion, kind: fluxReport.kind },
    metadata: {
      name,
      namespace,
      uid: '00000000-0000-4000-8000-000000000000',
      resourceVersion: '1',
      creationTimestamp: since,
    },
    spec: {
      cluster: { serverVersion: gitVersion, platform },
      operator: { apiVersion, version: components.version, platform },
      distribution: { entitlement: 'not required', managedBy: 'keelson', status: 'Installed', version: fluxVersion },
      components: components.names
        .filter(name => name !== 'flux-operator')
        .toSorted(compareText)
        .map(name => ({ name, image: imageOf(name, components), ready: true, status: 'part of this hub' })),
      reconcilers: reconcilers.toSorted((a, b) =>
        compareText(`${a.apiVersion}/${a.kind}`, `${b.apiVersion}/${b.kind}`),
      ),
      ...(sync && { sync }),
    },
    status: {
      conditions: [
        {
          ...{ type: 'Ready', status: 'True', reason: 'ReconciliationSucceeded', lastTransitionTime: since },
          message: `Reporting finished in ${formatDuration(clock.now() - startedAt)}`,
        },
      ],
    },
  }
}

interface Counted {
  readonly state: 'failing' | 'running' | 'suspended'
  /** Bytes of its artifact. */
  readonly size: number
}

const counted = (object: KubernetesObject): Counted => {
  const { artifact } = (object.status ?? {}) as { readonly artifact?: { readonly size?: number } }
  const isFailing = statusCondition(object, 'Ready')?.status === 'False'
  return { state: isOff(object) ? 'suspended' : isFailing ? 'failing' : 'running', size: artifact?.size ?? 0 }
}

const statsOf = (index: FleetIndex<Counted>) => async (kind: Kind) => {
  const stats = { failing: 0, running: 0, suspended: 0 }
  let size = 0
  for (const objects of (await index.read(kind)).byNamespace.values())
    for (const one of objects.values()) {
      stats[one.state]++
      size += one.size
    }
  return {
    apiVersion: apiVersionOf(kind),
    kind: kind.kind,
    stats: { ...stats, ...(size > 0 && { totalSize: sizeText(size) }) },
  }
}

const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const

/** `78.1 KiB`. */
const sizeText = (bytes: number): string => {
  const power = Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10))
  return `${(bytes / 1024 ** power).toFixed(power === 0 ? 0 : 1)} ${units[power]}`
}

/** That of the FluxInstance, else of `flux bootstrap`, else the root source of the hub. */
const syncOf = async (hub: ReportSources['hub']): Promise<FluxReport['spec']['sync']> => {
  const { namespace } = installation
  const instance = await hub.get<FluxInstance>({ group: operatorGroup, kind: fluxInstance.kind, ...installation })
  const places = [
    { namespace, name: instance?.spec.sync?.name ?? namespace },
    { namespace: 'keelson-system', name: 'root' },
  ]
  for (const place of places) {
    const unit = await hub.get<Kustomization>({ group: kustomizeGroup, kind: 'Kustomization', ...place })
    if (unit) return describeSync(hub, unit)
  }
  return undefined
}

const describeSync = async (
  hub: ReportSources['hub'],
  unit: Kustomization,
): Promise<NonNullable<FluxReport['spec']['sync']>> => {
  const { kind, name, namespace = unit.metadata.namespace ?? '' } = unit.spec.sourceRef
  const source = await hub.get<KubernetesObject>({ group: sourceGroup, kind, namespace, name })
  const { url, endpoint } = (source?.spec ?? {}) as { readonly url?: string; readonly endpoint?: string }
  const [ofSource, ofUnit] = [source && statusCondition(source, 'Ready'), statusCondition(unit, 'Ready')]
  const isFetched = ofSource?.status === 'True'
  const ready = isFetched && ofUnit?.status === 'True'
  return {
    id: `kustomization/${unit.metadata.name}`,
    ...(unit.spec.path && { path: unit.spec.path }),
    ready,
    source: url ?? endpoint ?? '',
    status: (isFetched || !ofSource ? ofUnit : ofSource)?.message ?? 'not initialized',
  }
}
