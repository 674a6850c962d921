import { type HelmRelease, helmRelease as kind } from '../../foundations/kinds/helm-release.ts'
import { isHeldFrom } from '../../foundations/rules/rolled-out.ts'
import { clusterGroupOf } from '../runtime/cluster-group.ts'
import type { AddressOf } from '../runtime/reconciler.ts'

/** The queue stage and group of messages for HelmReleases, by target cluster, and the objects whose changes they wait for. */
export const helmReleaseAddress: AddressOf<HelmRelease> = {
  kind,
  stage: 'helmrelease',
  groupOf: clusterGroupOf,
  isVisited: true,
  reactsTo: [
    'HelmChart',
    'OCIRepository',
    'ExternalArtifact',
    'HelmRelease',
    'Kustomization',
    'ResourceSet',
    'Secret',
    'ConfigMap',
    'Namespace',
    'Approval',
    'ChangePolicy',
  ],
  selects: ['ChangePolicy'],
  followsSpecsOf: ['ChangePolicy'],
  ignores: isHeldFrom,
}
