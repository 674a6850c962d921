import { approval } from '../foundations/kinds/approval.ts'
import { bucket } from '../foundations/kinds/bucket.ts'
import { cluster } from '../foundations/kinds/cluster.ts'
import { delivery } from '../foundations/kinds/delivery.ts'
import { externalArtifact } from '../foundations/kinds/external-artifact.ts'
import { gitRepository } from '../foundations/kinds/git-repository.ts'
import { helmChart } from '../foundations/kinds/helm-chart.ts'
import { helmRelease } from '../foundations/kinds/helm-release.ts'
import { helmRepository } from '../foundations/kinds/helm-repository.ts'
import type { Kind } from '../foundations/kinds/kind.ts'
import { kustomization } from '../foundations/kinds/kustomization.ts'
import { ociRepository } from '../foundations/kinds/oci-repository.ts'
import { plan } from '../foundations/kinds/plan.ts'
import { receiver } from '../foundations/kinds/receiver.ts'
import { resourceSet } from '../foundations/kinds/resource-set.ts'
import { resourceSetInputProvider } from '../foundations/kinds/resource-set-input-provider.ts'
import { rollout } from '../foundations/kinds/rollout.ts'
import { rolloutRun } from '../foundations/kinds/rollout-run.ts'
import { run } from '../foundations/kinds/run.ts'
import { resourcePath } from './resource-path.ts'

/** What applies objects to a cluster. */
export const unitKinds = [kustomization, helmRelease, resourceSet] as readonly Kind[]
/** What units depend on. */
export const sourceKinds = [
  ...[gitRepository, ociRepository, bucket, helmRepository, helmChart, externalArtifact, resourceSetInputProvider],
] as readonly Kind[]
export const clusterKind = cluster as unknown as Kind
export const runKind = run as unknown as Kind
export const approvalKind = approval as unknown as Kind
export const planKind = plan as unknown as Kind
export const rolloutKind = rollout as unknown as Kind
export const rolloutRunKind = rolloutRun as unknown as Kind
export const receiverKind = receiver as unknown as Kind
export const deliveryKind = delivery as unknown as Kind
export const resourceSetKind = resourceSet as unknown as Kind
export const inputProviderKind = resourceSetInputProvider as unknown as Kind

/** The collections of which units and their clusters consist, to be followed. */
export const unitPaths = (namespace: string | undefined): readonly string[] =>
  unitKinds.map(kind => resourcePath(kind, { namespace }))

/** The collections of which a page of sources consists. */
export const sourcePaths = (namespace: string | undefined): readonly string[] =>
  [...unitKinds, ...sourceKinds].map(kind => resourcePath(kind, { namespace }))

/** The collections of which a page of the whole fleet consists. Without a namespace: of all. */
export const fleetPaths = (namespace: string | undefined): readonly string[] => [
  resourcePath(clusterKind, { namespace }),
  ...sourcePaths(namespace),
]
