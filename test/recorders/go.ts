/** Records how Go writes the numbers, texts, characters and durations of `test/unit/foundations/go`: `node test/recorders/go.ts`. */
import { writeFileSync } from 'node:fs'
import { askGoOracle } from '../bed/go-oracle.ts'
import { durations, floats, parsed, runes, singles, texts } from '../unit/foundations/go/questions.ts'

const recorded = {
  floats: (await askGoOracle(floats)).flat(),
  singles: (await askGoOracle(singles)).flat(),
  texts: await askGoOracle(texts),
  runes: await askGoOracle(runes),
  durations: await askGoOracle(durations),
  parsed: await askGoOracle(parsed),
}
writeFileSync(
  new URL('../unit/foundations/go/go.recorded.json', import.meta.url),
  `${JSON.stringify(recorded, null, 1)}\n`,
)
