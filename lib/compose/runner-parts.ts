import { type Clusters, clusters as remoteClusters } from '../clusters/client/clusters.ts'
import { KubeconfigError } from '../clusters/client/kubeconfig.ts'
import { type Cluster, cluster as clusterKind } from '../foundations/kinds/cluster.ts'
import { type HelmRelease, helmRelease } from '../foundations/kinds/helm-release.ts'
import type { KubernetesObject, ObjectRef } from '../foundations/kinds/object.ts'
import { type ResourceSet, resourceSet } from '../foundations/kinds/resource-set.ts'
import { isRunnerAccess } from '../foundations/rules/runner-access.ts'
import { createReferences } from '../hub/references/references.ts'
import type { Copy } from '../hub/runners/protocol.ts'
import type { Session } from '../hub/runners/session.ts'
import type { EmbeddedPlatform } from '../platform/adapters/embedded/embedded-platform.ts'
import type { Log } from '../platform/ports/log.ts'
import type { SignatureDemand } from '../reconcile/approvals/signatures.ts'
import { collectKept } from '../reconcile/kept-builds/collect-kept.ts'
import { keepLimitsOf } from '../reconcile/kept-builds/keep-limits.ts'
import { isAtRevision } from '../reconcile/kustomization/resolve-source.ts'
import { defaultKustomizationSettings } from '../reconcile/kustomization/settings.ts'
import { clusterClaim } from '../reconcile/runner/cluster-claim.ts'
import { dataOfHub } from '../reconcile/runner/data-of-hub.ts'
import { createMirror, type Mirror } from '../reconcile/runner/mirror.ts'
import { createOffline, offlineMsOf } from '../reconcile/runner/offline.ts'
import { orderedWork } from '../reconcile/runner/ordered-work.ts'
import { chartsOnHub } from '../reconcile/runner/release-charts.ts'
import { reportedRuns } from '../reconcile/runner/reported-runs.ts'
import { reportingHub } from '../reconcile/runner/reporting-hub.ts'
import { refusalOf, signedOnly } from '../reconcile/runner/signed-units.ts'
import { createLoop, defaultLoopSettings, type LoopSettings } from '../reconcile/runtime/loop.ts'
import { createRunRecorder } from '../reconcile/runtime/run-recorder.ts'
import type { TrustedKey } from '../sources/verify/public-key.ts'
import { composeAppliers } from './appliers.ts'
import { composeCloud } from './cloud.ts'
import { cloudKeys } from './cloud-keys.ts'
import { composeClusterProbes } from './cluster-probes.ts'
import { composeHub } from './hub.ts'
import { openPgp } from './open-pgp.ts'
import { ownKeysIn } from './own-keys.ts'
import { fetchedFrom, signedArtifacts, storedApart, withHeads } from './runner-artifacts.ts'
import type { RunnerFolder } from './runner-folder.ts'
import { orderPerformers } from './runner-orders.ts'
import { runnerSettings } from './runner-settings.ts'

export interface PartsSettings {
  /** The Cluster. */
  readonly of: ObjectRef
  /** The access to the cluster, read for each pass. */
  readonly kubeconfig: () => Promise<string>
  /** Keys of which sources must bear a signature; none demands none. */
  readonly verifyKeys?: readonly TrustedKey[]
  /** Keys of which approvals must bear a signature; none demands none. */
  readonly planKeys?: readonly TrustedKey[]
  /** How many of them must sign each plan, at least. */
  readonly planSignatures?: number
  /** Directory with keys for decryption that the hub does not have, see ownKeysIn. */
  readonly decryptionKeys?: string | undefined
  /** Users of the hub may see what is on the cluster, as far as that lets them: the hub may read there. */
  readonly isLive?: boolean
  /** Addresses that units may name, though they are loopback or link-local ones, as IP addresses and CIDR ranges. */
  readonly allowAddresses?: readonly string[]
  readonly log: Log
  /** Other than those of every loop. */
  readonly pacing?: Partial<LoopSettings>
}

/** What a runner works with as long as it holds one lease of its hub, or works without the hub after it. */
export type RunnerParts = Awaited<ReturnType<typeof composeParts>>

/** Kinds whose engines are loaded with the first unit only: Helm's takes 2 MB. */
const lateKinds = [helmRelease.kind, resourceSet.kind] as const

/** Those of which a copy has units. */
export const lateKindsIn = ({ own }: Copy): ReadonlySet<string> =>
  new Set(lateKinds.filter(late => own.some(({ kind }) => kind === late)))

const dayMs = 24 * 60 * 60_000

/** A hub of the runner's own, with the copy as its objects; status, Events and Runs go to the session's hub. */
export const composeParts = async (
  {
    of,
    kubeconfig,
    log,
    verifyKeys = [],
    planKeys = [],
    planSignatures = 1,
    decryptionKeys: directory,
    isLive = false,
    allowAddresses = [],
    pacing,
  }: PartsSettings,
  platform: EmbeddedPlatform,
  session: Session,
  copy: Copy,
  folder: RunnerFolder,
) => {
  const late = lateKindsIn(copy)
  const { composeHelmReleases } = late.has(helmRelease.kind) ? await import('./helm-releases.ts') : {}
  const { composeResourceSets } = late.has(resourceSet.kind) ? await import('./resource-sets.ts') : {}
  const isSigned = verifyKeys.length > 0
  const settings = runnerSettings(copy.settings, { isSigned, allowAddresses })
  const cloud = composeCloud(platform.clock, settings)
  const local = remoteClusters({ clock: platform.clock, forbids: () => undefined })
  const own = isSigned ? storedApart(platform.artifacts) : platform.artifacts
  const fetched = fetchedFrom(session, own)
  const signed = isSigned ? signedArtifacts(fetched, verifyKeys, folder) : undefined
  const signatures: SignatureDemand | undefined =
    planKeys.length > 0
      ? { ...folder, cluster: `${of.namespace}/${of.name}`, keys: planKeys, count: planSignatures }
      : undefined
  const ownKeys = ownKeysIn({ directory, namespace: of.namespace, digestKey: folder.digestKey })
  const ports = {
    ...{ ...platform, log, openPgp, cloudKeys: { ...cloudKeys(cloud), ownKeys }, connections: cloud.connections },
    artifacts: signed?.store ?? fetched,
    ...(signatures && { signatures }),
  }
  const composed = composeHub(ports, settings, () => reconcilers)
  const mirror = createMirror({ ...ports, hub: composed.hub }, () => reconcilers)
  let current = copy
  const portsOfSets = { ...ports, dataOfHub: (set: ResourceSet) => dataOfHub(composed.hub, () => current, set) }
  let clusterOf: Cluster | undefined
  const claim = clusterClaim({
    ...{ of, holder: `${of.namespace}/${of.name} ${platform.random.uuid()}` },
    client: async () => local.fromKubeconfig(await kubeconfig()),
  })
  const offline = createOffline({
    ...{ session, claim, hub: composed.hub },
    allowedMs: () => (clusterOf ? offlineMsOf(clusterOf) : 0),
    isAtRevision: (unit, revision) =>
      isAtRevision(unit, revision, {
        references: createReferences(composed.hub),
        settings: { ...defaultKustomizationSettings, ...settings },
      }),
  })
  const hub = reportingHub(composed.hub, { report: offline.report, plan: session.plan }, mirror)
  const clusters: Clusters = {
    fromKubeconfig: () => {
      throw new KubeconfigError('a runner applies to its own cluster only')
    },
    fromConfigMap: async (configMap, impersonate) => {
      if (!isRunnerAccess(configMap)) throw new KubeconfigError('a runner applies to its own cluster only')
      return local.fromKubeconfig(await kubeconfig(), impersonate)
    },
    close: local.close,
  }
  const charts = chartsOnHub(composed.hubCluster(), session, async place => {
    const found = await composed.hub.get<HelmRelease>({ group: helmRelease.group, kind: helmRelease.kind, ...place })
    return found && mirror.isOwn(found) ? found : undefined
  })
  const reconcilers: ReturnType<typeof composeAppliers> = [
    ...composeAppliers(ports, settings, { ...composed, hub }, clusters),
    ...(composeHelmReleases?.(ports, settings, { hub, hubCluster: () => charts }, clusters) ?? []),
    ...(composeResourceSets?.(portsOfSets, settings, { ...composed, hub }, clusters) ?? []),
    ...composeClusterProbes(ports, { hub }, clusters),
  ]
  const events = {
    record: (object: KubernetesObject, occurrence: Parameters<Session['event']>[1]['occurrence'], component: string) =>
      offline.event(object, { occurrence, component }),
  }
  const runs = reportedRuns({ ...ports, session })
  let tidiedAt = Number.NEGATIVE_INFINITY
  const tidy = async (): Promise<void> => {
    const now = platform.clock.now()
    if (now - tidiedAt < dayMs) return
    tidiedAt = now
    await collectKept(
      { ...platform, artifacts: own },
      keepLimitsOf({ ...defaultKustomizationSettings, ...settings }),
      now,
    )
  }
  const isElsewhere = async (object: KubernetesObject): Promise<boolean> => !mirror.isOwn(object)
  const demanding = isSigned ? reconcilers.map(signedOnly) : reconcilers
  const unitAt = (ref: ObjectRef) => composed.hub.get<KubernetesObject>(ref)
  const performers = orderPerformers({
    // What was applied last is compared whatever has signed it: nothing is applied.
    ports: { ...portsOfSets, artifacts: own },
    ...{ settings, hub: composed, clusters, reconcilers: demanding },
    artifactsWith: names => withHeads(ports.artifacts, names, session, verifyKeys),
    refusalOf: unit => (isSigned ? refusalOf(unit) : undefined),
    ...(isLive && { clusterAs: async as => local.fromKubeconfig(await kubeconfig(), as) }),
  })
  const orders = orderedWork({ log, session, unitAt, isOwn: mirror.isOwn, performers })
  const take: Mirror['take'] = async (copy, isStale) => {
    current = copy
    await mirror.take(signed?.withoutOlder(copy) ?? copy, isStale)
    clusterOf = copy.own.find(({ kind }) => kind === clusterKind.kind) as Cluster | undefined
  }
  return {
    take,
    takeOrders: orders.take,
    offline,
    claim: () => claim.raise(clusterOf !== undefined && offlineMsOf(clusterOf) > 0),
    handOver: runs.handOver,
    /** Deletes manifests that were replaced for too long to be undone to, once a day. */
    tidy,
    loop: createLoop(
      { ...ports, hub, events, isElsewhere, recorder: createRunRecorder({ ...ports, runs }, settings.runsRetention) },
      demanding,
      { ...defaultLoopSettings, ...pacing },
    ),
    close: async () => {
      orders.close()
      await clusters.close()
      await cloud.close()
    },
  }
}
