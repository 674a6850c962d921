import { askCelOracle } from '../bed/cel-oracle.ts'
import { differenceFromCelGo } from '../differential/cel-difference.ts'
import { generatedExpression } from '../differential/cel-expressions.ts'
import { data } from '../unit/engines/cel/expressions/data.ts'
import type { FuzzSettings } from './run.ts'

export const description =
  'generated CEL expressions beside cel-go, as Flux uses it: what they come to, and why they fail'

const BATCH = 5000

export const run = async ({ seed, until, trees }: FuzzSettings): Promise<void> => {
  let same = 0
  let valued = 0
  for (let first = seed; performance.now() < until && same < trees; first += BATCH) {
    const texts = Array.from({ length: BATCH }, (_, at) => generatedExpression(first + at))
    const answers = await askCelOracle(texts.map(expression => ({ expression, data })))
    for (const [at, text] of texts.entries()) {
      const difference = differenceFromCelGo(text, answers[at]!)
      if (difference !== undefined) {
        console.log(`\nseed ${first + at}: ${difference}`)
        process.exitCode = 1
        return
      }
      same++
      if (answers[at]!.value !== undefined) valued++
    }
  }
  console.log(`${same} expressions beside cel-go: none differs; ${valued} of them have a value, the others fail alike`)
}
