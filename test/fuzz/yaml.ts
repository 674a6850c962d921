import fc from 'fast-check'
import { askYamlOracle } from '../bed/yaml-oracle.ts'
import { differenceFromOriginal } from '../differential/yaml-difference.ts'
import { yamlTexts } from '../differential/yaml-texts.ts'
import type { FuzzSettings } from './run.ts'

export const description =
  "texts at random beside kustomize's and Kubernetes' YAML libraries: how they are read, written and refused"

const BATCH = 1000

/**
 * Of keys that are not the same to Go, as two NaNs or 1 and "1", and one name in JSON, Kubernetes' library takes any, now this and now
 * that one. Whether it comes to what ours does, too.
 */
const wavers = async (text: string): Promise<boolean> =>
  (await askYamlOracle(Array(100).fill(text))).some(answer => differenceFromOriginal(text, answer) === undefined)

export const run = async ({ seed, until, trees }: FuzzSettings): Promise<void> => {
  let same = 0
  let refused = 0
  for (let i = 0; performance.now() < until && same < trees; i++) {
    const texts = fc.sample(yamlTexts[i % yamlTexts.length]!, { seed: seed + i, numRuns: BATCH })
    const answers = await askYamlOracle(texts)
    for (const [at, text] of texts.entries()) {
      const difference = differenceFromOriginal(text, answers[at]!)
      if (difference !== undefined && !(await wavers(text))) {
        console.log(`\nseed ${seed}: ${difference}`)
        process.exitCode = 1
        return
      }
      same++
      if (answers[at]!.fault !== undefined) refused++
    }
  }
  console.log(`${same} texts beside the originals: none differs; ${refused} of them are no YAML to both`)
}
