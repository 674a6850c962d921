/** The built-in kinds, and how to find a kind by name. */
import { alert } from './alert.ts'
import { approval } from './approval.ts'
import { artifactGenerator } from './artifact-generator.ts'
import { bucket } from './bucket.ts'
import { changePolicy } from './change-policy.ts'
import { cluster } from './cluster.ts'
import { clusterRole } from './cluster-role.ts'
import { clusterRoleBinding } from './cluster-role-binding.ts'
import { configMap } from './config-map.ts'
import { customResourceDefinition } from './custom-resource-definition.ts'
import { event } from './event.ts'
import { externalArtifact } from './external-artifact.ts'
import { fluxInstance } from './flux-instance.ts'
import { gitRepository } from './git-repository.ts'
import { helmChart } from './helm-chart.ts'
import { helmRelease } from './helm-release.ts'
import { helmRepository } from './helm-repository.ts'
import { imagePolicy } from './image-policy.ts'
import { imageRepository } from './image-repository.ts'
import { imageUpdateAutomation } from './image-update-automation.ts'
import type { Kind, KindVersion } from './kind.ts'
import { kustomization } from './kustomization.ts'
import { namespace } from './namespace.ts'
import { ociRepository } from './oci-repository.ts'
import { plan } from './plan.ts'
import { provider } from './provider.ts'
import { pullRequest } from './pull-request.ts'
import { receiver } from './receiver.ts'
import { resourceQuota } from './resource-quota.ts'
import { resourceSet } from './resource-set.ts'
import { resourceSetInputProvider } from './resource-set-input-provider.ts'
import { role } from './role.ts'
import { roleBinding } from './role-binding.ts'
import { rollout } from './rollout.ts'
import { rolloutRun } from './rollout-run.ts'
import { rolloutStrategy } from './rollout-strategy.ts'
import { secret } from './secret.ts'
import { serviceAccount } from './service-account.ts'

/** The kinds of one hub: a value, as hubs have different ones (user-defined kinds are added and removed). */
export interface KindRegistry {
  readonly kinds: readonly Kind[]
  find(group: string, kind: string): Kind | undefined
  /** By the parts of a request's path: `/apis/<group>/<version>/.../<plural>`. Undefined if not served in that version. */
  findResource(group: string, version: string, plural: string): ServedKind | undefined
  /** A registry with this kind added, or replaced if it has the same group and kind. */
  with(kind: Kind): KindRegistry
  without(group: string, kind: string): KindRegistry
}

/** A kind in one of its versions. */
export interface ServedKind {
  readonly kind: Kind
  readonly version: KindVersion
}

/**
 * A registry of these kinds, with an index by group and kind, and one by each served version. Of two with the same
 * keys, the later one counts.
 */
export const kindRegistry = (kinds: readonly Kind[]): KindRegistry => {
  const byKind = new Map(kinds.map(kind => [`${kind.group}/${kind.kind}`, kind]))
  const byResource = new Map(
    kinds.flatMap(kind =>
      servedVersionsOf(kind).map(
        version => [`${kind.group}/${version.name}/${kind.plural}`, { kind, version }] as const,
      ),
    ),
  )
  const others = (group: string, kind: string) => kinds.filter(known => known.group !== group || known.kind !== kind)
  return {
    kinds,
    find: (group, kind) => byKind.get(`${group}/${kind}`),
    findResource: (group, version, plural) => byResource.get(`${group}/${version}/${plural}`),
    with: kind => kindRegistry([...others(kind.group, kind.kind), kind]),
    without: (group, kind) => kindRegistry(others(group, kind)),
  }
}

export const builtInKinds: readonly Kind[] = [
  namespace,
  secret,
  configMap,
  serviceAccount,
  resourceQuota,
  event,
  role,
  roleBinding,
  clusterRole,
  clusterRoleBinding,
  customResourceDefinition,
  gitRepository,
  ociRepository,
  bucket,
  helmRepository,
  helmChart,
  externalArtifact,
  artifactGenerator,
  kustomization,
  helmRelease,
  receiver,
  provider,
  alert,
  resourceSet,
  resourceSetInputProvider,
  fluxInstance,
  imageRepository,
  imagePolicy,
  imageUpdateAutomation,
  cluster,
  rollout,
  rolloutRun,
  rolloutStrategy,
  plan,
  approval,
  changePolicy,
  pullRequest,
]

/** The versions that are served to clients. */
export const servedVersionsOf = (kind: Kind): readonly KindVersion[] =>
  kind.versions.filter(({ served }) => served !== false)

/** The version a kind is stored in. */
export const storageVersionOf = (kind: Kind): KindVersion => kind.versions.find(version => version.storage)!

/** The version for clients that request none. */
const preferredVersionOf = (kind: Kind): KindVersion => servedVersionsOf(kind)[0] ?? kind.versions[0]!

/** `v1`, or `<group>/<version>` outside the core group. */
export const apiVersionOf = (kind: Kind, version: KindVersion = preferredVersionOf(kind)): string =>
  kind.group ? `${kind.group}/${version.name}` : version.name
