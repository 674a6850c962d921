import { driftedCondition } from '../../foundations/kinds/applied.ts'
import { isReconcileDisabled } from '../../foundations/kinds/flux-operator.ts'
import type { Kind } from '../../foundations/kinds/kind.ts'
import type { Condition, KubernetesObject } from '../../foundations/kinds/object.ts'
import { conditionOf, isConditionTrue } from '../../foundations/rules/conditions.ts'
import type { Hub } from '../../hub/store/hub.ts'

/** The metric of a reconciled object: one time series with the value 1. */
export interface ResourceInfo {
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly labels: Readonly<Record<(typeof infoLabels)[number] | 'resources', string>>
  /** What it has applied was changed on the cluster. */
  readonly isDrifted: boolean
  /** Bytes of its artifact, for sources with one. */
  readonly artifactBytes?: number
  /** When its credential expires, in seconds since the epoch, for Clusters that know it. */
  readonly credentialExpires?: number
  /** Its credential must be replaced: it expires soon, or the cluster refuses it. */
  readonly needsCredential: boolean
}

/** Named as in flux-operator and in Flux's recipes for kube-state-metrics. */
export const infoLabels = [
  ...['uid', 'name', 'exported_namespace', 'ready', 'reason', 'suspended', 'revision', 'source_name', 'path', 'url'],
] as const satisfies readonly string[]

/** flux-operator's labels for its own kinds, besides the kind. */
export const operatorLabels = {
  ResourceSet: ['uid', 'name', 'exported_namespace', 'ready', 'reason', 'suspended', 'resources', 'revision'],
  ResourceSetInputProvider: ['uid', 'name', 'exported_namespace', 'ready', 'reason', 'suspended', 'url'],
} as const satisfies Readonly<Record<string, readonly (keyof ResourceInfo['labels'])[]>>

type Reconciled = KubernetesObject & {
  readonly spec?: {
    readonly suspend?: boolean
    readonly path?: string
    readonly url?: string
    readonly sourceRef?: { readonly name?: string }
  }
  readonly status?: {
    readonly conditions?: readonly Condition[]
    readonly lastAppliedRevision?: string
    readonly lastAttemptedRevision?: string
    readonly inventory?: { readonly entries: readonly unknown[] }
    readonly artifact?: { readonly revision?: string; readonly size?: number }
    readonly credential?: { readonly validUntil?: string }
  }
}

/** Reads all objects of these kinds, page by page. */
export async function* resourceInfo(hub: Pick<Hub, 'list'>, kinds: readonly Kind[]): AsyncIterable<ResourceInfo> {
  for (const { group, kind, versions } of kinds) {
    let next: string | undefined
    do {
      const page = await hub.list<Reconciled>({ group, kind, limit: 500, ...(next && { continue: next }) })
      for (const object of page.items) yield { group, kind, version: versions[0]!.name, ...resourceLabels(object) }
      next = page.continue
    } while (next)
  }
}

/** Reasons of the condition CredentialsValid of a Cluster. */
const replacing: readonly string[] = ['ExpiresSoon', 'Expired', 'Unauthorized']

/** The labels and figures of one object. */
export const resourceLabels = (object: Reconciled): Omit<ResourceInfo, 'group' | 'version' | 'kind'> => {
  const { metadata, spec = {}, status = {} } = object
  const ready = status.conditions?.find(({ type }) => type === 'Ready')
  const { artifact, credential } = status
  return {
    labels: {
      uid: metadata.uid ?? '',
      name: metadata.name,
      exported_namespace: metadata.namespace ?? '',
      ready: ready?.status ?? 'Unknown',
      reason: ready?.reason ?? '',
      suspended: spec.suspend === true || isReconcileDisabled(object) ? 'True' : 'False',
      resources: String(status.inventory?.entries.length ?? 0),
      revision: status.lastAppliedRevision ?? artifact?.revision ?? status.lastAttemptedRevision ?? '',
      source_name: spec.sourceRef?.name ?? '',
      path: spec.path ?? '',
      url: spec.url ?? '',
    },
    isDrifted: isConditionTrue(status.conditions, driftedCondition),
    needsCredential: replacing.includes(conditionOf(status.conditions, 'CredentialsValid')?.reason ?? ''),
    ...(artifact?.size !== undefined && { artifactBytes: artifact.size }),
    ...(credential?.validUntil && { credentialExpires: Date.parse(credential.validUntil) / 1000 }),
  }
}
