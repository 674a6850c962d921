import { createHash } from 'node:crypto'
import fc from 'fast-check'
import type { KustomizeAnswer, KustomizeTree } from '../../../bed/kustomize-oracle.ts'
import { kustomizeTrees } from '../../../differential/kustomize-trees.ts'

/** The same at every run, until the generator changes: then `node test/recorders/kustomize.ts` records them anew. */
export const randomTrees = (): readonly KustomizeTree[] => fc.sample(kustomizeTrees, { seed: 1, numRuns: 200 })

export const answerDigest = (answer: KustomizeAnswer): string =>
  createHash('sha256').update(JSON.stringify(answer)).digest('base64url').slice(0, 16)
