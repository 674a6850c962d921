/** Records how Go writes the numbers, texts and characters of `test/unit/go`: `node test/recorders/strconv.ts`. */
import { writeFileSync } from 'node:fs'
import { askStrconvOracle } from '../bed/strconv-oracle.ts'
import { floats, runes, singles, texts } from '../unit/go/questions.ts'

const recorded = {
  floats: (await askStrconvOracle(floats)).flat(),
  singles: (await askStrconvOracle(singles)).flat(),
  texts: await askStrconvOracle(texts),
  runes: await askStrconvOracle(runes),
}
writeFileSync(new URL('../unit/go/strconv.recorded.json', import.meta.url), `${JSON.stringify(recorded, null, 1)}\n`)
