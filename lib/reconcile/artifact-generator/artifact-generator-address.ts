import { createHash } from 'node:crypto'
import { type ArtifactGenerator, artifactGenerator } from '../../foundations/kinds/artifact-generator.ts'
import type { AddressOf } from '../runtime/reconciler.ts'

/** Generators have no interval of their own. */
export const intervalMs = 60 * 60_000

/** Generators are divided into this many visits, by namespace, to bound the size of a visit. */
const groups = 16

/**
 * Routes messages for ArtifactGenerators. On AWS the function that applies Kustomizations makes the artifacts: it reads artifacts of sources
 * anyway, and the bundle of the one for sources has reached its size limit.
 */
export const artifactGeneratorAddress: AddressOf<ArtifactGenerator> = {
  kind: artifactGenerator,
  stage: 'apply',
  groupOf: ({ metadata }) => metadata.namespace,
  isVisited: true,
  /** Generators of one namespace share their sources. */
  visitOf: ({ metadata: { namespace = '' } }) =>
    `artifactgenerators/${createHash('sha256').update(namespace).digest().readUInt32BE() % groups}`,
  reactsTo: ['GitRepository', 'OCIRepository', 'Bucket', 'HelmChart', 'ExternalArtifact'],
}
