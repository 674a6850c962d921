import { bucket } from '../foundations/kinds/bucket.ts'
import { gitRepository } from '../foundations/kinds/git-repository.ts'
import { helmChart } from '../foundations/kinds/helm-chart.ts'
import { helmRepository } from '../foundations/kinds/helm-repository.ts'
import { ociRepository } from '../foundations/kinds/oci-repository.ts'
import { artifactGeneratorAddress } from '../reconcile/artifact-generator/artifact-generator-address.ts'
import { clusterAddress } from '../reconcile/cluster/cluster-address.ts'
import { fluxInstanceAddress } from '../reconcile/flux-instance/flux-instance-address.ts'
import { helmReleaseAddress } from '../reconcile/helm-release/helm-release-address.ts'
import { imagePolicyAddress } from '../reconcile/image-policy/image-policy-address.ts'
import { imageRepositoryAddress } from '../reconcile/image-repository/image-repository-address.ts'
import { imageUpdateAutomationAddress } from '../reconcile/image-update-automation/image-update-automation-address.ts'
import { kustomizationAddress } from '../reconcile/kustomization/kustomization-address.ts'
import { pullRequestAddress } from '../reconcile/pull-request/pull-request-address.ts'
import { receiverAddress } from '../reconcile/receiver/receiver-address.ts'
import { resourceSetAddress } from '../reconcile/resource-set/resource-set-address.ts'
import { inputProviderAddress } from '../reconcile/resource-set-input-provider/input-provider-address.ts'
import { rolloutAddress } from '../reconcile/rollout/rollout-address.ts'
import type { Addressed } from '../reconcile/runtime/reconciler.ts'
import { chartVisit, sourceVisit } from '../reconcile/source-artifact/visits.ts'

/**
 * The routes of messages for all kinds, which every process of a hub needs, though it runs only some reconcilers. Doesn't import the reconcilers:
 * that would bring their code into functions that never run it. A test compares both.
 */
export const addresses = ({ buildAhead }: { readonly buildAhead: boolean }): readonly Addressed[] =>
  [
    { kind: gitRepository, stage: 'source', isVisited: true, visitOf: sourceVisit },
    { kind: ociRepository, stage: 'source', isVisited: true, visitOf: sourceVisit },
    { kind: bucket, stage: 'source', isVisited: true, visitOf: sourceVisit },
    { kind: helmRepository, stage: 'source', isVisited: true, visitOf: sourceVisit },
    {
      kind: helmChart,
      stage: 'source',
      isVisited: true,
      visitOf: chartVisit,
      reactsTo: ['HelmRepository', 'GitRepository', 'Bucket'],
    },
    artifactGeneratorAddress,
    { ...kustomizationAddress, ...(buildAhead && { prepare: true }) },
    helmReleaseAddress,
    receiverAddress,
    resourceSetAddress,
    inputProviderAddress,
    fluxInstanceAddress,
    imageRepositoryAddress,
    imagePolicyAddress,
    imageUpdateAutomationAddress,
    clusterAddress,
    rolloutAddress,
    pullRequestAddress,
  ] as readonly Addressed[]
