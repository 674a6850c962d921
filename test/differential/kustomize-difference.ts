import { build, printResources } from '../../lib/engines/kustomize/build.ts'
import type { KustomizeAnswer, KustomizeOracle, KustomizeTree } from '../bed/kustomize-oracle.ts'
import { memoryTree } from '../conformance/memory-tree.ts'
import { difference } from '../conformance/suite.ts'

/** How many trees kustomize could build: a generator of broken trees would prove little. */
export interface Tally {
  built: number
  failed: number
}

/** How our build of a tree differs from kustomize's; undefined when it doesn't. Both may fail, each in its own words. */
export const differenceFromKustomize = async (
  oracle: KustomizeOracle,
  tree: KustomizeTree,
  tally: Tally = { built: 0, failed: 0 },
): Promise<string | undefined> => {
  const [theirs, ours] = await Promise.all([oracle.build(tree), buildOurs(tree)])
  tally[theirs.output === undefined ? 'failed' : 'built']++
  if (theirs.output === undefined && ours.output === undefined) return undefined
  if (theirs.output === undefined) return `kustomize fails: ${theirs.error}\nwe don't:\n${ours.output}`
  if (ours.output === undefined) return `we fail: ${ours.error}\nkustomize doesn't:\n${theirs.output}`
  return difference(ours.output, theirs.output)
}

const buildOurs = async ({ files, path }: KustomizeTree): Promise<KustomizeAnswer> => {
  try {
    const { resources } = await build(memoryTree(files), path)
    return { output: printResources(resources) }
  } catch (error) {
    if ((error as Error).name !== 'KustomizeError') throw error
    return { error: (error as Error).message }
  }
}
