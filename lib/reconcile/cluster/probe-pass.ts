import type { ClusterClient } from '../../clusters/client/client.ts'
import type { Clusters } from '../../clusters/client/clusters.ts'
import { credentialOf, type KubeconfigCredential } from '../../clusters/client/credential.ts'
import { parseKubeconfig } from '../../clusters/client/kubeconfig.ts'
import { type Cluster, intervalOf, timeoutOf } from '../../foundations/kinds/cluster.ts'
import { isReconcileRequested } from '../../foundations/kinds/flux.ts'
import type { TargetReference } from '../../foundations/kinds/target-reference.ts'
import { breakerAfter } from '../../foundations/rules/cluster-breaker.ts'
import { conditionOf, isConditionTrue, type NewCondition } from '../../foundations/rules/conditions.ts'
import { errorMessage } from '../../foundations/rules/error-message.ts'
import { clusterUnreachable } from '../../foundations/rules/outage.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import { clientOf, type KubeConfigReference, readAccess, type StoredAccess } from '../applied-objects/stored-access.ts'
import { WouldWrite } from '../runtime/dry-run.ts'
import { Halt, isMistake, outcomeOfHalt } from '../runtime/halt.ts'
import type { Done, Failed, Outcome, Pass } from '../runtime/reconciler.ts'
import { checksFailed, checksPassed, controlPlaneHealthy, healthOfControlPlane } from './control-plane-report.ts'
import { credentialStatus, credentialsValid } from './credential-report.ts'
import { type Probe, probeCluster } from './probe.ts'
import { type ProfilePorts, profileAccess } from './profile-access.ts'
import { publishProfile } from './publish-profile.ts'
import { steadyContactTime, steadyLatency } from './steady-status.ts'

export interface ClusterProbePorts extends ProfilePorts {
  readonly clusters: Pick<Clusters, 'fromKubeconfig' | 'fromConfigMap'>
  readonly clock: Clock
}

/** A dry run reads with the units of its visit, and writes nothing. */
const portsOf = (ports: ClusterProbePorts, { dryRun }: Pick<Pass<Cluster>, 'dryRun'>): ClusterProbePorts => {
  if (!dryRun) return ports
  const { hub, references } = ports
  const refuse = () => Promise.reject(new WouldWrite('what is made of a Cluster'))
  return {
    ...ports,
    references: dryRun.references(references),
    hub: { get: ref => hub.get(ref), create: refuse, patch: refuse },
  }
}

/** A cluster that has failed is probed at least this often, so that its recovery shows soon. */
const maxRetryMs = 60_000

/** One probe, as a pass or as its dry run. */
export const probePass = (ports: ClusterProbePorts, object: Cluster, pass: Pass<Cluster>): Promise<Outcome<Cluster>> =>
  attempt(portsOf(ports, pass), object, pass).catch(outcomeOfHalt)

const attempt = async (ports: ClusterProbePorts, object: Cluster, pass: Pass<Cluster>): Promise<Outcome<Cluster>> => {
  const { access, credential, derived } = await requireAccess(ports, object, pass)
  pass.note({ cluster: targetOf(access.object) })
  const client = await requireUsable(object, pass, async () => clientFor(await clientOf(ports.clusters, access), pass))
  const { clock } = ports
  const probe = await probeCluster(client, { clock, timeoutMs: timeoutOf(object), signal: pass.signal })
  const outcome = outcomeOf(object, probe, clock.now())
  const validity = credentialsValid(credential, probe, clock.now())
  warnOfExpiry(object, pass, validity)
  const healthy = healthOfControlPlane(probe)
  warnOfHealth(object, pass, healthy)
  const version = probe.type === 'reachable' ? probe.version : object.status?.kubernetesVersion
  if (!object.spec.clusterProfileRef)
    await publishProfile(object, access, { healthy, server: probe.server, version }, ports, clock.now())
  return {
    ...outcome,
    status: {
      ...outcome.status,
      breaker: breakerAfter(object.status?.breaker, probe.type !== 'unreachable', clock.now()) ?? null,
      server: probe.server,
      credential: credentialStatus(credential),
      kubeConfig: derived ?? null,
    },
    conditions: { ...outcome.conditions, CredentialsValid: validity, [controlPlaneHealthy]: healthy },
  }
}

const targetOf = ({ kind, metadata: { namespace = '', name } }: StoredAccess['object']): TargetReference => ({
  kind: kind === 'ConfigMap' ? kind : 'Secret',
  namespace,
  name,
})

const clientFor = (client: ClusterClient, { dryRun, confine }: Pass<Cluster>): Promise<ClusterClient> =>
  confine(dryRun ? dryRun.cluster(client) : client)

const outcomeOf = (object: Cluster, probe: Probe, now: number): Done<Cluster> | Failed<Cluster> => {
  const { server } = probe
  const contact = { lastContactTime: steadyContactTime(object.status?.lastContactTime, now) }
  switch (probe.type) {
    case 'reachable': {
      const { version, uid, latencyMs, apiGroups } = probe
      const message = `${version ? `Kubernetes ${version}` : 'the API server'} responds at ${server}`
      return {
        type: 'done',
        reason: 'ClusterReady',
        message,
        routine: isConditionTrue(object.status?.conditions, 'Ready') && !isReconcileRequested(object),
        status: {
          ...contact,
          uid: uid ?? null,
          kubernetesVersion: version ?? null,
          apiGroups: apiGroups ?? null,
          latency: steadyLatency(object.status?.latency, latencyMs),
        },
        conditions: { Reachable: { status: 'True', reason: 'Responding', message } },
      }
    }
    case 'refused': {
      const Reachable = {
        status: 'True',
        reason: 'Responding',
        message: `the API server responds at ${server}`,
      } as const
      const message = `the cluster refuses the credential: ${probe.message}`
      return failed(object, 'Unauthorized', message, { status: contact, conditions: { Reachable } })
    }
    case 'unreachable': {
      const { message } = probe
      const Reachable = { status: 'False', reason: clusterUnreachable, message } as const
      return failed(object, clusterUnreachable, message, { conditions: { Reachable } })
    }
  }
}

/** A failure warns once, not at each probe. */
const failed = (
  object: Cluster,
  reason: string,
  message: string,
  change: Pick<Failed<Cluster>, 'status' | 'conditions'>,
): Failed<Cluster> => ({
  type: 'failed',
  reason,
  message,
  afterMs: Math.min(intervalOf(object), maxRetryMs),
  ...(conditionOf(object.status?.conditions, 'Ready')?.reason === reason && { event: null }),
  ...change,
})

interface Access {
  /** What units name, where that is derived from a ClusterProfile. */
  readonly derived?: KubeConfigReference
  readonly access: StoredAccess
  readonly credential: KubeconfigCredential
}

/** The object that the spec refers to, and its credential. A ConfigMap has none: the hub's own identity is used. */
const requireAccess = (ports: ClusterProbePorts, object: Cluster, pass: Pass<Cluster>): Promise<Access> =>
  requireUsable(object, pass, async () => {
    const { kubeConfig, clusterProfileRef } = object.spec
    const derived = clusterProfileRef && (await profileAccess(object, clusterProfileRef.name, ports))
    const access = await readAccess(ports.references, object, derived ?? kubeConfig ?? {})
    const { kubeconfig } = access
    const credential = kubeconfig === undefined ? hubIdentity : credentialOf(parseKubeconfig(kubeconfig))
    return { access, credential, ...(derived && { derived }) }
  })

const hubIdentity: KubeconfigCredential = { type: 'HubIdentity' }

/** Ends the pass if the access is missing or malformed, or its cloud refuses it. Messages don't quote it. */
const requireUsable = async <T>(object: Cluster, { signal }: Pass<Cluster>, use: () => Promise<T> | T): Promise<T> => {
  try {
    return await use()
  } catch (error) {
    signal.throwIfAborted()
    if (isMistake(error)) throw error
    const [reason, message] = ['AccessFailed', errorMessage(error)]
    const unknown = { status: 'Unknown', reason, message } as const
    const conditions = { Reachable: unknown, CredentialsValid: unknown, [controlPlaneHealthy]: unknown }
    throw new Halt(failed(object, reason, message, { conditions }))
  }
}

/** Sends one event when a credential begins to be due for replacement, and one when it was replaced. */
const warnOfExpiry = (
  { status }: Cluster,
  pass: Pass<Cluster>,
  { reason, message }: ReturnType<typeof credentialsValid>,
): void => {
  const before = conditionOf(status?.conditions, 'CredentialsValid')?.reason
  if (before === reason) return
  const isRenewed = before === 'ExpiresSoon' || before === 'Expired' || before === 'Unauthorized'
  if (isRenewed && reason === 'Accepted') pass.event({ severity: 'info', reason: 'CredentialRenewed', message })
  if (reason === 'ExpiresSoon') pass.event({ severity: 'error', reason: 'CredentialExpiresSoon', message })
}

/** Sends one event when checks of the control plane begin to fail, and one when they pass again. An outage has an event of its own. */
const warnOfHealth = ({ status }: Cluster, pass: Pass<Cluster>, { reason, message }: NewCondition): void => {
  const before = conditionOf(status?.conditions, controlPlaneHealthy)?.reason
  if (before === reason) return
  if (reason === checksFailed) pass.event({ severity: 'error', reason: 'ControlPlaneUnhealthy', message })
  if (before === checksFailed && reason === checksPassed)
    pass.event({ severity: 'info', reason: controlPlaneHealthy, message })
}
