import { askFluxOracle } from '../bed/flux-oracle.ts'
import { differenceFromFlux } from '../differential/flux-difference.ts'
import { generatedQuestion } from '../differential/flux-questions.ts'
import type { FuzzSettings } from './run.ts'

export const description = 'generated variables, ignore files and version ranges beside the libraries that Flux uses'

const BATCH = 30_000

export const run = async ({ seed, until, trees }: FuzzSettings): Promise<void> => {
  let same = 0
  let refused = 0
  for (let first = seed; performance.now() < until && same < trees; first += BATCH) {
    const questions = Array.from({ length: BATCH }, (_, at) => generatedQuestion(first + at))
    const answers = await askFluxOracle(questions)
    for (const [at, question] of questions.entries()) {
      const difference = differenceFromFlux(question, answers[at]!)
      if (difference !== undefined) {
        console.log(`\nseed ${first + at}: ${difference}`)
        process.exitCode = 1
        return
      }
      same++
      if (answers[at]!.error !== undefined) refused++
    }
  }
  console.log(`${same} texts beside the originals: none differs; ${refused} of them are refused by both`)
}
