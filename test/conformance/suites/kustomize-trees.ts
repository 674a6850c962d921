import { relative } from 'node:path'
import { kustomizeBinary } from '../../bed/kustomize-oracle.ts'
import { comparableAnswer } from '../../unit/engines/kustomize/comparable-answer.ts'
import { type CaseResult, type ConformanceSuite, difference } from '../suite.ts'
import { type Built, buildOurs, buildTheirs } from '../trees/build-both.ts'
import { findKustomizations } from '../trees/find-kustomizations.ts'
import { LARGE, type Pair, Tally } from '../trees/tally.ts'

/** How often a large tree is built by both; the least time of each counts. */
const TIMES = 3

const tally = new Tally()

/** Every kustomization below the folder, such as checkouts of many repositories, beside the real kustomize: bytes and times. */
export const suite: ConformanceSuite = {
  folder: '.',
  slow: true,
  async *cases(directory) {
    const binary = await kustomizeBinary()
    for (const folder of findKustomizations(directory))
      yield () => compare(binary, folder, relative(directory, folder) || '.')
  },
  summary: () => tally.summary(),
}

const compare = async (binary: string, directory: string, name: string): Promise<CaseResult> => {
  const ours = await buildOurs(directory)
  if (ours.needsNetwork) {
    tally.addNeedsNetwork()
    return { name }
  }
  const theirs = buildTheirs(binary, directory)
  if (ours.error !== undefined && theirs.error !== undefined) {
    tally.addRefused(name, comparableAnswer(ours).error!.trim(), comparableAnswer(theirs).error!.trim())
    return { name }
  }
  const problem = problemOf(ours, theirs)
  if (problem !== undefined) {
    tally.addDifferent()
    return { name, problem }
  }
  const again = ours.output!.length > LARGE ? TIMES - 1 : 0
  const [times, cpu] = [wall(ours, theirs), cpuOf(ours, theirs)]
  for (let i = 0; i < again; i++) {
    const [oursAgain, theirsAgain] = [await buildOurs(directory), buildTheirs(binary, directory)]
    keepLeast(times, wall(oursAgain, theirsAgain))
    keepLeast(cpu, cpuOf(oursAgain, theirsAgain))
  }
  tally.addEqual({ name, bytes: ours.output!.length, used: ours.used, times, cpu })
  return { name }
}

const wall = (ours: Built, theirs: Built): Pair => ({ ours: ours.milliseconds, theirs: theirs.milliseconds })
const cpuOf = (ours: Built, theirs: Built): Pair => ({ ours: ours.cpuMs, theirs: theirs.cpuMs })

const keepLeast = (least: Pair, next: Pair): void => {
  least.ours = Math.min(least.ours, next.ours)
  least.theirs = Math.min(least.theirs, next.theirs)
}

const problemOf = (
  ours: { readonly output?: string; readonly error?: string },
  theirs: { readonly output?: string; readonly error?: string },
): string | undefined => {
  if (ours.error !== undefined) return `  kustomize builds it, ours says: ${ours.error}`
  if (theirs.error !== undefined) return `  ours builds it, kustomize says: ${theirs.error}`
  return difference(ours.output!, theirs.output!)
}
