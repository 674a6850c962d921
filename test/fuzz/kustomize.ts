import fc from 'fast-check'
import { kustomizeOracle } from '../bed/kustomize-oracle.ts'
import { brokenTrees } from '../differential/broken-trees.ts'
import { differenceFromKustomize } from '../differential/kustomize-difference.ts'
import { kustomizeTrees } from '../differential/kustomize-trees.ts'
import { differenceOfRebuilds, histories } from '../differential/rebuilds.ts'
import { harmOf } from '../differential/survives.ts'
import type { FuzzSettings } from './run.ts'

export const description =
  'generated trees beside the real kustomize, damaged trees, which must do no harm, and edited ones with and without a cache'

/** Trees of one kind in a row, so that the shrinking of a finding stays within one run. */
const BATCH = 200

export const run = async ({ seed, until, trees }: FuzzSettings): Promise<void> => {
  await using oracle = await kustomizeOracle()
  const tally = { built: 0, failed: 0 }
  let tried = 0
  for (let batch = 0; performance.now() < until && tally.built + tally.failed < trees; batch++) {
    const differs = await firstFinding(kustomizeTrees, seed + batch, tree =>
      differenceFromKustomize(oracle, tree, tally),
    )
    const harms = differs ?? (await firstFinding(brokenTrees, seed + batch, harmOf))
    const finding = harms ?? (await firstFinding(histories, seed + batch, differenceOfRebuilds))
    tried += BATCH
    console.log(
      `${tally.built} trees built alike, ${tally.failed} refused by both; ${tried} damaged ones survived, ${tried} rebuilt after edits`,
    )
    if (finding === undefined) continue
    console.log(`\nseed ${seed + batch}: ${finding}`)
    process.exitCode = 1
    return
  }
  console.log(
    `${tally.built + tally.failed} trees beside the real kustomize: none differs; ${tried} damaged trees: none did harm; ` +
      `${tried} trees rebuilt after edits with a cache: none differs`,
  )
}

const firstFinding = async <Tree>(
  trees: fc.Arbitrary<Tree>,
  seed: number,
  findingOf: (tree: Tree) => Promise<string | undefined>,
): Promise<string | undefined> => {
  const property = fc.asyncProperty(trees, async tree => (await findingOf(tree)) === undefined)
  const { counterexample } = await fc.check(property, { seed, numRuns: BATCH })
  if (!counterexample) return undefined
  const [tree] = counterexample
  return `${await findingOf(tree)}\n\nthe tree: ${JSON.stringify(tree, null, 2)}`
}
